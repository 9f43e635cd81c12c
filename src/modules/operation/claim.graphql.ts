import { builder } from '../../graphql/builder.ts';

export const ClaimModeEnum = builder.enumType('ClaimMode', {
  description: 'How a resource is held.',
  values: {
    SHARED: { description: 'Together with others that need it to stay as it is.' },
    EXCLUSIVE: { description: 'Alone, to change it.' },
  } as const,
});

builder.prismaObject('Claim', {
  description: 'What an operation holds on a resource until it is final.',
  fields: (t) => ({
    resource: t.exposeString('resource', { description: 'What is held, such as `vm:7` or `backend:1`.' }),
    mode: t.expose('mode', { type: ClaimModeEnum, description: 'How it is held.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Since when.' }),
  }),
});
