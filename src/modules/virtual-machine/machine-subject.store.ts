import type { Queryable } from '../../database/pool.ts';
import type { ProductSettings } from '../../operations/environment.ts';
import type { SecretBox } from '../../operations/secret-box.ts';
import { decryptSecrets } from '../catalog/image-secrets.ts';
import type { CopySubject } from '../network/backend-network.rules.ts';
import { mergeCreateDefaults } from './create-defaults.rules.ts';
import type { MachineSubject } from './virtual-machine-subject.ts';

type SubjectRow = Omit<MachineSubject, 'nics' | 'copies' | 'osParameters' | 'createDefaults'> & {
  readonly plainParameters: Record<string, string>;
  readonly secretsCipher: string | null;
  readonly backendDefaults: Record<string, unknown>;
};

/** What {@link loadMachineSubject} needs beyond the database. */
export interface SubjectContext {
  readonly settings: ProductSettings;
  readonly secrets: SecretBox;
}

/** Everything that planning and submitting a machine's jobs reads; secret OS parameters in the clear, so never log it. */
export async function loadMachineSubject(
  on: Queryable,
  id: number,
  { settings, secrets }: SubjectContext,
): Promise<MachineSubject | null> {
  const { rows } = await on.query<SubjectRow>(
    `SELECT vm."id", vm."ganetiName", vm."operState", vm."task", vm."isSuspended", vm."deletedAt" IS NOT NULL AS "isDeleted",
            vm."backendId", b."hypervisor", b."createDefaults" AS "backendDefaults",
            f."cpu" AS "vcpus", f."memoryMiB", f."diskGiB", f."diskTemplate",
            i."osType", i."osParameters" AS "plainParameters", i."secretsCipher", i."progressParameter",
            i."backendImageId", i."format" AS "imageFormat"
       FROM "VirtualMachine" vm
       JOIN "Backend" b ON b."id" = vm."backendId" JOIN "Flavor" f ON f."id" = vm."flavorId" JOIN "Image" i ON i."id" = vm."imageId"
      WHERE vm."id" = $1`,
    [id],
  );
  const row = rows[0];
  if (!row) return null;
  const { plainParameters, secretsCipher, backendDefaults, ...machine } = row;
  const nics = await on.query<MachineSubject['nics'][number]>(
    `SELECT "id", "name", $2 || 'net-' || "networkId" AS "networkName", "ipv4"
       FROM "NetworkInterface" WHERE "virtualMachineId" = $1 AND "deletedAt" IS NULL ORDER BY "index"`,
    [id, settings.ganetiPrefix],
  );
  return {
    ...machine,
    createDefaults: mergeCreateDefaults(settings.ganetiCreateDefaults, backendDefaults),
    osParameters: { ...plainParameters, ...decryptSecrets(secrets, secretsCipher) },
    nics: nics.rows,
    copies: await loadCopies(on, id, row.backendId, settings.ganetiPrefix),
  };
}

async function loadCopies(on: Queryable, machineId: number, backendId: number, prefix: string): Promise<CopySubject[]> {
  const { rows } = await on.query<CopySubject>(
    `SELECT c."id" AS "backendNetworkId", c."backendId", c."networkId", $3 || 'net-' || n."id" AS "ganetiName",
            c."macPrefix", c."operState",
            c."operState" <> 'ERROR' AND (c."markJobId" > 0 OR cardinality(c."connectedGroups") > 0) AS "wasAdded",
            c."missingGroups", n."mode", n."link", n."subnet", n."gateway", n."subnet6", n."gateway6", n."isPublic", n."tags",
            ARRAY(SELECT j."id" FROM "OperationJob" j
                   WHERE j."backendNetworkId" = c."id" AND j."state" IN ('PLANNED', 'SENDING', 'SUBMITTED', 'INDETERMINATE')
                     AND NOT EXISTS (SELECT 1 FROM "Operation" o
                                      WHERE o."id" = j."operationId" AND o."virtualMachineId" = $1)
                   ORDER BY j."step") AS "openStepIds"
       FROM "BackendNetwork" c JOIN "Network" n ON n."id" = c."networkId"
      WHERE c."backendId" = $2 AND c."deletedAt" IS NULL
        AND c."networkId" IN (SELECT "networkId" FROM "NetworkInterface" WHERE "virtualMachineId" = $1 AND "deletedAt" IS NULL)
      ORDER BY c."networkId"`,
    [machineId, backendId, prefix],
  );
  return rows;
}
