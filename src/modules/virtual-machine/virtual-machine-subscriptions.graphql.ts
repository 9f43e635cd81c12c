import type { Json } from '../../changes/index.ts';
import { builder } from '../../graphql/builder.ts';
import { argumentId } from '../../graphql/global-id.ts';
import { invalidArgument, unknownArgument } from '../../graphql/top-level-errors.ts';
import { findUnstorableText, UNSTORABLE_TEXT } from '../../graphql/unstorable-text.ts';
import type { Environment } from '../../operations/environment.ts';
import { AFTER, defineEventType, openStream } from '../change/event.graphql.ts';
import { BuildPhaseEnum, shownPercentage } from './build-progress.graphql.ts';
import { type BuildProgressReading, streamBuildProgress } from './build-progress-stream.ts';
import {
  OperStateEnum,
  VirtualMachineNode,
  VirtualMachineType,
  virtualMachineRows,
} from './virtual-machine.graphql.ts';
import {
  conditionsOf,
  matchesCriteria,
  readCriteria,
  type VirtualMachineAttributes,
  VirtualMachineFilter,
} from './virtual-machine-filter.graphql.ts';
import { readMachineVersion, readMembers } from './virtual-machine-list.store.ts';

const VirtualMachineEvent = defineEventType({
  name: 'VirtualMachineEvent',
  what: 'a virtual machine',
  objectName: 'virtualMachine',
  object: VirtualMachineType,
  rows: virtualMachineRows,
});

/** @throws GraphQLError NOT_FOUND when there is no such machine. */
async function streamMachine({ pool, feed }: Environment, id: number, argument: string, after?: string | null) {
  const currentVersion = () => readMachineVersion(pool, id);
  if ((await currentVersion()) === null) throw unknownArgument('There is no such virtual machine.', [argument]);
  return openStream(() =>
    feed.streamEntity({ entityType: 'VIRTUAL_MACHINE', entityId: String(id), after, currentVersion }),
  );
}

builder.subscriptionField('virtualMachineChanged', (t) =>
  t.field({
    type: VirtualMachineEvent,
    description: 'A virtual machine and every change of it, its interfaces or its diagnostics.',
    args: {
      id: t.arg.id({ required: true, description: 'The virtual machine.' }),
      after: t.arg.string({ description: AFTER }),
    },
    subscribe: (_root, { id, after }, { environment }) =>
      streamMachine(environment, argumentId(VirtualMachineNode, id, ['id']), 'id', after),
    resolve: (event) => event,
  }),
);

/** One more than a list's stream sends one by one: enough to tell it that there are too many. */
const MOST_MEMBERS = 1_001;

builder.subscriptionField('virtualMachinesChanged', (t) =>
  t.field({
    type: VirtualMachineEvent,
    description:
      'All virtual machines that a filter lets through, one SNAPSHOT each, and every change of them; one that leaves the filter is sent once more. Without a filter: all that live.',
    args: {
      filter: t.arg({ type: VirtualMachineFilter, description: 'Which virtual machines are followed.' }),
      after: t.arg.string({ description: AFTER }),
    },
    subscribe: (_root, { filter, after }, { environment }) => {
      const unstorable = findUnstorableText(filter, ['filter']);
      if (unstorable) throw invalidArgument(UNSTORABLE_TEXT, unstorable);
      const criteria = readCriteria(filter);
      return openStream(() =>
        environment.feed.streamList({
          entityType: 'VIRTUAL_MACHINE',
          after,
          matches: (attributes: Json | null) =>
            attributes !== null && matchesCriteria(criteria, attributes as unknown as VirtualMachineAttributes),
          currentMembers: () => readMembers(environment.pool, conditionsOf(criteria), MOST_MEMBERS),
        }),
      );
    },
    resolve: (event) => event,
  }),
);

const BuildProgressEvent = builder.objectRef<BuildProgressReading>('BuildProgressEvent').implement({
  description: 'How far the build of a virtual machine is, or how it ended.',
  fields: (t) => ({
    percentage: t.int({
      description: '0 to 100, never falling: 100 with STARTED or STOPPED; with ERROR it stays where it was.',
      resolve: shownPercentage,
    }),
    phase: t.expose('buildPhase', { type: BuildPhaseEnum, description: 'What the build is busy with.' }),
    message: t.exposeString('buildMessage', { nullable: true, description: 'What was reported last.' }),
    updatedAt: t.expose('buildUpdatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When something was reported last; null when nothing was.',
    }),
    operState: t.expose('operState', { type: OperStateEnum, description: 'BUILD until the build is over.' }),
    version: t.exposeInt('version', { description: 'The version of the virtual machine; rises strictly.' }),
  }),
});

builder.subscriptionField('buildProgress', (t) =>
  t.field({
    type: BuildProgressEvent,
    description: 'How far a build is, first now and then with each step; ends when the build does.',
    args: { virtualMachineId: t.arg.id({ required: true, description: 'The virtual machine that is being built.' }) },
    subscribe: async (_root, { virtualMachineId }, { environment }) => {
      const id = argumentId(VirtualMachineNode, virtualMachineId, ['virtualMachineId']);
      const events = await streamMachine(environment, id, 'virtualMachineId');
      return streamBuildProgress(environment.prisma, id, events);
    },
    resolve: (reading) => reading,
  }),
);
