import { builder } from '../../graphql/builder.ts';
import { defineConnection } from '../../graphql/connection.ts';
import { defineNodeType } from '../../graphql/global-id.ts';

const DiagnosticNode = defineNodeType('Diagnostic', 'int4');

const DiagnosticLevelEnum = builder.enumType('DiagnosticLevel', {
  description: 'How much a diagnostic matters.',
  values: {
    DEBUG: { description: 'For whoever looks for a fault.' },
    INFO: { description: 'Good to know.' },
    WARNING: { description: 'Something may go wrong.' },
    ERROR: { description: 'Something went wrong.' },
  } as const,
});

const DiagnosticType = builder.prismaNode('Diagnostic', {
  description: 'Something that was reported about a virtual machine, by its deployer or by us.',
  id: { field: 'id', description: 'The opaque id of the diagnostic.' },
  nullable: true,
  fields: (t) => ({
    level: t.expose('level', { type: DiagnosticLevelEnum, description: 'How much it matters.' }),
    source: t.exposeString('source', { description: 'Who reported it.' }),
    message: t.exposeString('message', { description: 'What happened, in a line.' }),
    details: t.exposeString('details', { nullable: true, description: 'What else there is to say.' }),
    eventAt: t.expose('eventAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it happened, by the clock of who reported it; null when they did not say.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the report came in.' }),
  }),
});

/** The reports about one machine. */
export const Diagnostics = defineConnection({
  type: DiagnosticType,
  source: { model: 'diagnostic', node: DiagnosticNode },
  table: 'Diagnostic',
  items: 'diagnostics',
  order: {
    fields: { CREATED: { column: 'id', kind: 'int4', description: 'When they came in.' } },
    default: { field: 'CREATED', direction: 'DESC' },
  },
});
