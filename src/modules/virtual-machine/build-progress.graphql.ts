import type { VirtualMachine } from '../../database/generated/client.ts';
import { builder } from '../../graphql/builder.ts';

export const BuildPhaseEnum = builder.enumType('BuildPhase', {
  description: 'What a build is busy with.',
  values: {
    QUEUED: { description: 'It waits for Ganeti.' },
    ALLOCATING: { description: 'Ganeti looks for a node and makes the instance known.' },
    DISKS: { description: 'Disks are made.' },
    IMAGE: { description: 'The image is written.' },
    BOOTING: { description: 'The machine starts.' },
    DONE: { description: 'The build is over.' },
  } as const,
});

type Built = Pick<VirtualMachine, 'operState' | 'buildPercentage'>;

/** The percentage as clients see it: a machine that runs or could run is built, whatever was reported last. */
export function shownPercentage({ operState, buildPercentage }: Built): number {
  return operState === 'STARTED' || operState === 'STOPPED' ? 100 : buildPercentage;
}

export const BuildProgress = builder.objectRef<VirtualMachine>('BuildProgress').implement({
  description: 'How far the build of a virtual machine is.',
  fields: (t) => ({
    phase: t.expose('buildPhase', { type: BuildPhaseEnum, description: 'What it is busy with.' }),
    percentage: t.int({
      description: '0 to 100; never falls during one build, and 100 once the machine is STARTED or STOPPED.',
      resolve: shownPercentage,
    }),
    message: t.exposeString('buildMessage', { nullable: true, description: 'What was reported last.' }),
    updatedAt: t.expose('buildUpdatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When something was reported last; null when nothing was.',
    }),
  }),
});
