import { builder } from './graphql/builder.ts';
import { resolveIdsAtOnce } from './graphql/node-ids.ts';
import './graphql/node-queries.ts';
import './modules/backend/backend.graphql.ts';
import './modules/backend/backend-mutations.graphql.ts';
import './modules/backend/health.graphql.ts';
import './modules/catalog/catalog-mutations.graphql.ts';
import './modules/catalog/flavor.graphql.ts';
import './modules/catalog/image.graphql.ts';
import './modules/network/backend-network.graphql.ts';
import './modules/network/network-mutations.graphql.ts';
import './modules/network/networks.graphql.ts';
import './modules/network-interface/network-interface.graphql.ts';
import './modules/operation/claim.graphql.ts';
import './modules/operation/ganeti-job.graphql.ts';
import './modules/operation/operation-mutations.graphql.ts';
import './modules/operation/operation-subscriptions.graphql.ts';
import './modules/operation/operation-target.graphql.ts';
import './modules/operation/operations.graphql.ts';
import './modules/viewer/viewer.graphql.ts';
import './modules/virtual-machine/virtual-machine-mutations.graphql.ts';
import './modules/virtual-machine/virtual-machine-subscriptions.graphql.ts';
import './modules/virtual-machine/virtual-machines.graphql.ts';

/** The whole GraphQL schema; each module has added its part by being imported. */
export const schema = resolveIdsAtOnce(builder.toSchema({ sortSchema: true }));
