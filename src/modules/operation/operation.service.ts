import type { Viewer } from '../../auth/viewer.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { Environment } from '../../operations/environment.ts';
import { lockOperation, readSteps } from '../../operations/operation.store.ts';
import { isTerminal } from '../../operations/operation-status.rules.ts';
import { InvalidState, NotFound } from '../../operations/user-error.ts';

/**
 * Asks for the end of an operation. Takes no claim, so that it is never refused for being busy: steps that were not
 * sent are canceled by the dispatcher, jobs in Ganeti get a hint, and only their final state ends the operation.
 *
 * @throws NotFound, InvalidState when it has ended
 */
export async function cancelOperation(env: Environment, _viewer: Viewer, operationId: string): Promise<void> {
  const backendIds = await inTransaction(env.pool, async (tx) => {
    const operation = await lockOperation(tx, operationId);
    if (!operation) throw new NotFound('There is no such operation.', ['id']);
    if (isTerminal(operation.status)) throw new InvalidState(`The operation has ended: ${operation.status}.`, ['id']);
    await tx.query(`UPDATE "Operation" SET "isCancelRequested" = true WHERE "id" = $1`, [operationId]);
    return (await readSteps(tx, operationId)).map((step) => step.backendId);
  });
  for (const backendId of new Set(backendIds)) env.wake(backendId);
}
