import type { Queryable } from '../../database/pool.ts';
import { sqlState, type Tx } from '../../database/transaction.ts';
import { AddressInUse, NameTaken, NotFound, PoolExhausted } from '../../operations/user-error.ts';
import { takeAddress, takeLowestAddress } from '../address-pool/address.store.ts';
import { type NetworkRecord, rangeSize } from '../network/network.rules.ts';
import type { NicInput } from './create-input.rules.ts';
import { appendMachineChange, type MachineRecord } from './virtual-machine.store.ts';

/**
 * Reserves a machine's id, from which its name in Ganeti follows, and those of its NICs: claims need them before the
 * rows exist. A refused request leaves a hole in the numbers, as sequences do.
 */
export async function reserveIds(on: Queryable, nicCount: number): Promise<{ machineId: number; nicIds: number[] }> {
  const { rows } = await on.query<{ machineId: number; nicIds: number[] }>(
    `SELECT nextval(pg_get_serial_sequence('"VirtualMachine"', 'id'))::int AS "machineId",
            ARRAY(SELECT nextval(pg_get_serial_sequence('"NetworkInterface"', 'id'))::int FROM generate_series(1, $1)) AS "nicIds"`,
    [nicCount],
  );
  return rows[0] as { machineId: number; nicIds: number[] };
}

/** The catalog's rows that a build takes its size and system from; locked against being deleted meanwhile. */
export async function requireCatalog(
  on: Queryable,
  flavorId: number,
  imageId: number,
  lock = '',
): Promise<{ diskTemplate: string }> {
  const flavor = await on.query<{ diskTemplate: string }>(
    `SELECT "diskTemplate" FROM "Flavor" WHERE "id" = $1 AND "deletedAt" IS NULL ${lock}`,
    [flavorId],
  );
  if (!flavor.rows[0]) throw new NotFound('There is no such flavor.', ['flavorId']);
  const image = await on.query(`SELECT 1 FROM "Image" WHERE "id" = $1 AND "deletedAt" IS NULL ${lock}`, [imageId]);
  if (image.rowCount === 0) throw new NotFound('There is no such image.', ['imageId']);
  return flavor.rows[0];
}

export interface NewMachine {
  readonly id: number;
  readonly name: string;
  readonly ganetiName: string;
  readonly ownerId: string;
  readonly backendId: number;
  readonly flavorId: number;
  readonly imageId: number;
}

/** @throws NameTaken when another live machine of the owner bears the name */
export async function insertMachine(tx: Tx, machine: NewMachine, operationId: string): Promise<void> {
  const { rows } = await tx
    .query<MachineRecord>(
      `INSERT INTO "VirtualMachine" ("id", "name", "ganetiName", "ownerId", "backendId", "flavorId", "imageId", "task",
         "createdAt", "updatedAt", "buildUpdatedAt")
       VALUES ($1, $2, $3, $4, $5, $6, $7, 'BUILDING', clock_timestamp(), clock_timestamp(), clock_timestamp()) RETURNING *`,
      [
        machine.id,
        machine.name,
        machine.ganetiName,
        machine.ownerId,
        machine.backendId,
        machine.flavorId,
        machine.imageId,
      ],
    )
    .catch((error: unknown) => {
      if (sqlState(error) === '23505' && (error as { constraint?: string }).constraint === 'VirtualMachine_name_live') {
        throw new NameTaken(`You have a virtual machine called "${machine.name}" already.`, ['name']);
      }
      throw error;
    });
  const steps = [
    { field: 'operState', from: null, to: 'BUILD' },
    { field: 'task', from: null, to: 'BUILDING' },
  ];
  await appendMachineChange(tx, null, rows[0] as MachineRecord, steps, { operationId, cause: 'created' });
}

/**
 * Inserts a NIC and gives it its address: the row owns it from now on, so that no failure can leak it (trap 20).
 * The caller holds the pool's lock. @throws AddressInUse, PoolExhausted
 */
export async function insertNic(
  tx: Tx,
  machineId: number,
  nic: { readonly id: number; readonly name: string; readonly index: number },
  network: NetworkRecord,
  wanted: NicInput,
): Promise<void> {
  await tx.query(
    `INSERT INTO "NetworkInterface" ("id", "virtualMachineId", "networkId", "index", "name") VALUES ($1, $2, $3, $4, $5)`,
    [nic.id, machineId, network.id, nic.index, nic.name],
  );
  if (network.subnet === null) return;
  const path = ['networks', String(nic.index), 'ipv4'];
  let address: string | null;
  if (wanted.ipv4 != null) {
    if (!(await takeAddress(tx, network.id, wanted.ipv4, nic.id))) {
      throw new AddressInUse(`${wanted.ipv4} is in use.`, path);
    }
    address = wanted.ipv4;
  } else {
    const pool = {
      networkId: network.id,
      subnet: network.subnet,
      size: rangeSize(network.subnet),
      gateway: network.gateway,
    };
    address = await takeLowestAddress(tx, pool, nic.id);
    if (address === null) {
      throw new PoolExhausted(`Network "${network.name}" has no free address.`, [
        'networks',
        String(nic.index),
        'networkId',
      ]);
    }
  }
  await tx.query(`UPDATE "NetworkInterface" SET "ipv4" = $2 WHERE "id" = $1`, [nic.id, address]);
}
