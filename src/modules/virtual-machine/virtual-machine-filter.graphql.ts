import type { OperState } from '../../database/generated/client.ts';
import { builder } from '../../graphql/builder.ts';
import { argumentId } from '../../graphql/global-id.ts';
import { contains, equals, isNull, isOneOf, type SqlCondition } from '../../graphql/sql-condition.ts';
import { BackendNode } from '../backend/backend.graphql.ts';
import { FlavorNode } from '../catalog/flavor.graphql.ts';
import { ImageNode } from '../catalog/image.graphql.ts';
import { OperStateEnum } from './virtual-machine.graphql.ts';

/** The `filter` of lists and of `virtualMachinesChanged`, which must mean the same in both. */
export const VirtualMachineFilter = builder.inputType('VirtualMachineFilter', {
  description: 'Which virtual machines are meant; all conditions must hold.',
  fields: (t) => ({
    operState: t.field({ type: [OperStateEnum], description: 'They are one of these.' }),
    nameContains: t.string({ description: 'The name has this in it, in any case.' }),
    owner: t.string({ description: 'They belong to this user.' }),
    backendId: t.id({ description: 'They are on this backend.' }),
    flavorId: t.id({ description: 'They have this flavor.' }),
    imageId: t.id({ description: 'They were built from this image.' }),
    includeDeleted: t.boolean({ description: 'Also those that were destroyed.', defaultValue: false }),
  }),
});

type Filter = typeof VirtualMachineFilter.$inferInput;

/** A filter with its ids read. */
export interface VirtualMachineCriteria {
  readonly operState: readonly OperState[] | null;
  readonly nameContains: string | null;
  readonly owner: string | null;
  readonly backendId: number | null;
  readonly flavorId: number | null;
  readonly imageId: number | null;
  readonly includeDeleted: boolean;
}

/** @throws GraphQLError INVALID_INPUT with the path of an id of another type. */
export function readCriteria(filter: Filter | null | undefined): VirtualMachineCriteria {
  return {
    operState: filter?.operState ?? null,
    nameContains: filter?.nameContains ?? null,
    owner: filter?.owner ?? null,
    backendId: filter?.backendId == null ? null : argumentId(BackendNode, filter.backendId, ['filter', 'backendId']),
    flavorId: filter?.flavorId == null ? null : argumentId(FlavorNode, filter.flavorId, ['filter', 'flavorId']),
    imageId: filter?.imageId == null ? null : argumentId(ImageNode, filter.imageId, ['filter', 'imageId']),
    includeDeleted: filter?.includeDeleted ?? false,
  };
}

/** The criteria on the table. */
export function conditionsOf(criteria: VirtualMachineCriteria): SqlCondition[] {
  const { operState, nameContains, owner, includeDeleted } = criteria;
  const conditions: SqlCondition[] = includeDeleted ? [] : [isNull('deletedAt')];
  if (operState) conditions.push(isOneOf({ name: 'operState', type: '"OperState"' }, operState));
  if (nameContains !== null) conditions.push(contains('name', nameContains));
  if (owner !== null) conditions.push(equals({ name: 'ownerId', type: 'text' }, owner));
  for (const column of ['backendId', 'flavorId', 'imageId'] as const) {
    if (criteria[column] !== null) conditions.push(equals({ name: column, type: 'int4' }, criteria[column]));
  }
  return conditions;
}

/** What the record of changes keeps of a machine, to tell whether it belongs to a list. */
export interface VirtualMachineAttributes {
  readonly ownerId: string;
  readonly name: string;
  readonly operState: OperState;
  readonly backendId: number | null;
  readonly flavorId: number;
  readonly imageId: number;
  readonly isDeleted: boolean;
}

/** The criteria on what the record of changes keeps. */
export function matchesCriteria(criteria: VirtualMachineCriteria, attributes: VirtualMachineAttributes): boolean {
  const { operState, nameContains, owner, backendId, flavorId, imageId, includeDeleted } = criteria;
  return (
    (includeDeleted || !attributes.isDeleted) &&
    (operState === null || operState.includes(attributes.operState)) &&
    (nameContains === null || attributes.name.toLowerCase().includes(nameContains.toLowerCase())) &&
    (owner === null || attributes.ownerId === owner) &&
    (backendId === null || attributes.backendId === backendId) &&
    (flavorId === null || attributes.flavorId === flavorId) &&
    (imageId === null || attributes.imageId === imageId)
  );
}
