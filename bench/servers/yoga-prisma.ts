/** What one builds from the manuals: Yoga, Pothos with its Prisma plugin, and Prisma, on our own Prisma schema. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import { createYoga } from 'graphql-yoga';
import { answerCalls } from '../channel.ts';
import { compiled } from '../compiled.ts';
import { POOL_SIZE, type ServerOptions } from './server-options.ts';

type PrismaTypes = import('../../src/database/generated/pothos.ts').default;

async function start({ databaseUrl }: ServerOptions): Promise<string> {
  const { createPool } = await compiled<typeof import('../../src/database/pool.ts')>('database/pool');
  const { createPrisma } = await compiled<typeof import('../../src/database/prisma.ts')>('database/prisma');
  const { getDatamodel } =
    await compiled<typeof import('../../src/database/generated/pothos.ts')>('database/generated/pothos');
  const prisma = createPrisma(createPool(databaseUrl, { max: POOL_SIZE }));
  const builder = new SchemaBuilder<{ PrismaTypes: PrismaTypes }>({
    plugins: [PrismaPlugin],
    prisma: { client: prisma, dmmf: getDatamodel(), onUnusedQuery: null },
  });
  builder.prismaObject('Backend', { fields: (t) => ({ id: t.exposeID('id'), name: t.exposeString('name') }) });
  builder.prismaObject('Network', { fields: (t) => ({ id: t.exposeID('id'), name: t.exposeString('name') }) });
  builder.prismaObject('NetworkInterface', {
    fields: (t) => ({
      index: t.exposeInt('index'),
      ipv4: t.exposeString('ipv4', { nullable: true }),
      mac: t.exposeString('mac', { nullable: true }),
      network: t.relation('network'),
    }),
  });
  builder.prismaObject('VirtualMachine', {
    fields: (t) => ({
      id: t.exposeID('id'),
      name: t.exposeString('name'),
      operState: t.exposeString('operState'),
      task: t.exposeString('task', { nullable: true }),
      buildPercentage: t.exposeInt('buildPercentage'),
      backend: t.relation('backend', { nullable: true }),
      nics: t.relation('nics', { query: { where: { deletedAt: null }, orderBy: { index: 'asc' } } }),
    }),
  });
  builder.queryType({
    fields: (t) => ({
      virtualMachines: t.prismaField({
        type: ['VirtualMachine'],
        args: { first: t.arg.int({ required: true }) },
        resolve: (query, _root, { first }) =>
          prisma.virtualMachine.findMany({
            ...query,
            where: { deletedAt: null },
            orderBy: { id: 'desc' },
            take: first,
          }),
      }),
    }),
  });
  const http = createServer(createYoga({ schema: builder.toSchema(), logging: false }));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/graphql`;
}

answerCalls({ start });
