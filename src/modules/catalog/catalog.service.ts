import type { Viewer } from '../../auth/viewer.ts';
import { sqlState } from '../../database/transaction.ts';
import type { Environment } from '../../operations/environment.ts';
import { NameTaken, NotFound } from '../../operations/user-error.ts';
import { checkFlavorInput, checkImageInput, type FlavorInput, type ImageInput } from './catalog.rules.ts';
import { encryptSecrets } from './image-secrets.ts';

/** @throws InvalidInput, NameTaken when a live flavor has the same size and template */
export async function createFlavor(
  env: Environment,
  _viewer: Viewer,
  input: FlavorInput,
): Promise<{ flavorId: number }> {
  const name = checkFlavorInput(input);
  const { rows } = await env.pool
    .query<{ id: number }>(
      `INSERT INTO "Flavor" ("name", "cpu", "memoryMiB", "diskGiB", "diskTemplate") VALUES ($1, $2, $3, $4, $5) RETURNING "id"`,
      [name, input.cpu, input.memoryMiB, input.diskGiB, input.diskTemplate],
    )
    .catch(nameTaken(`There is a flavor ${name} already.`, null));
  return { flavorId: (rows[0] as { id: number }).id };
}

export async function deleteFlavor(env: Environment, _viewer: Viewer, id: number): Promise<void> {
  await softDelete(env, 'Flavor', id);
}

/** Secret parameters are encrypted at once and never shown again. @throws InvalidInput, Unsupported, NameTaken */
export async function createImage(env: Environment, _viewer: Viewer, input: ImageInput): Promise<{ imageId: number }> {
  const image = checkImageInput(input);
  const { rows } = await env.pool
    .query<{ id: number }>(
      `INSERT INTO "Image" ("name", "osType", "osParameters", "secretParameters", "secretsCipher", "progressParameter",
         "backendImageId", "format", "checksum", "properties")
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING "id"`,
      [
        image.name,
        input.osType,
        JSON.stringify(image.plainParameters),
        Object.keys(image.secretParameters),
        encryptSecrets(env.secrets, image.secretParameters),
        input.progressParameter ?? null,
        input.backendImageId ?? null,
        input.format ?? null,
        input.checksum ?? null,
        JSON.stringify(input.properties ?? {}),
      ],
    )
    .catch(nameTaken(`There is an image called "${image.name}" already.`, ['name']));
  return { imageId: (rows[0] as { id: number }).id };
}

export async function deleteImage(env: Environment, _viewer: Viewer, id: number): Promise<void> {
  await softDelete(env, 'Image', id);
}

async function softDelete(env: Environment, table: 'Flavor' | 'Image', id: number): Promise<void> {
  const { rowCount } = await env.pool.query(
    `UPDATE "${table}" SET "deletedAt" = clock_timestamp() WHERE "id" = $1 AND "deletedAt" IS NULL`,
    [id],
  );
  if (rowCount === 0) throw new NotFound(`There is no such ${table.toLowerCase()}.`, ['id']);
}

function nameTaken(message: string, path: readonly string[] | null): (error: unknown) => never {
  return (error) => {
    if (sqlState(error) === '23505') throw new NameTaken(message, path);
    throw error;
  };
}
