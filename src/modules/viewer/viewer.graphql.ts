import type { Viewer } from '../../auth/viewer.ts';
import { builder } from '../../graphql/builder.ts';

const ViewerType = builder.objectRef<Viewer>('Viewer').implement({
  description: 'Who is asking.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id under which they own things and appear as the actor of operations.' }),
    name: t.exposeString('name', { description: 'What to call them.' }),
    isAdmin: t.exposeBoolean('isAdmin', { description: 'Whether they may see and do everything.' }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({ type: ViewerType, description: 'Who is asking.', resolve: (_root, _args, { viewer }) => viewer }),
);
