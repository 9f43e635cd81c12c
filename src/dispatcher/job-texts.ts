import { decryptSecrets } from '../modules/catalog/image-secrets.ts';
import { maskSecrets } from '../observability/logger.ts';
import { maskValues } from '../observability/mask.ts';
import type { Environment } from '../operations/environment.ts';

/** What reading a job's log and errors needs to know of its operation. */
export interface JobTexts {
  readonly hasDeployerReports: boolean;
  /** Hides callback tokens and the image's secret parameters: an OS script may print either (8-quality, security). */
  readonly mask: (text: string) => string;
}

export async function loadJobTexts(env: Environment, operationId: string): Promise<JobTexts> {
  const { rows } = await env.pool.query<{ secretsCipher: string | null; progressParameter: string | null }>(
    `SELECT i."secretsCipher", i."progressParameter" FROM "Operation" o
       JOIN "VirtualMachine" vm ON vm."id" = o."virtualMachineId" JOIN "Image" i ON i."id" = vm."imageId"
      WHERE o."id" = $1`,
    [operationId],
  );
  const image = rows[0];
  const secrets = Object.values(decryptSecrets(env.secrets, image?.secretsCipher ?? null));
  return {
    hasDeployerReports: image?.progressParameter != null,
    mask: (text) => maskValues(maskSecrets(text), secrets),
  };
}
