import { defineConfig } from 'prisma/config';

/** For the `prisma` command only; the product applies the migrations by itself (src/database/migrate.ts). */
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  // `prisma generate` needs no database; `prisma migrate deploy` does.
  datasource: { url: process.env.DATABASE_URL ?? 'postgresql://unset.invalid/unset' },
});
