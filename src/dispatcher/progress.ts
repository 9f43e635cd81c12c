import { inTransaction } from '../database/transaction.ts';
import { readPercentage } from '../modules/virtual-machine/build-progress.rules.ts';
import {
  insertDiagnostic,
  lockMachine,
  type NewDiagnostic,
  touchMachine,
} from '../modules/virtual-machine/virtual-machine.store.ts';
import type { Environment } from '../operations/environment.ts';
import type { OperationRow } from '../operations/operation.store.ts';
import { loadJobTexts } from './job-texts.ts';
import { PROGRESS_TOKEN } from './progress-token.ts';
import { applyToMachine } from './settle.ts';

/** The answer to a report: 204, or 4xx and nothing has changed. */
export interface ReportAnswer {
  readonly status: number;
  readonly message?: string;
}

const LEVELS = ['DEBUG', 'INFO', 'WARNING', 'ERROR'] as const;

/**
 * Takes an image deployer's report: `{"progress": 37}` or `{"message": "…", "level", "source", "details", "at"}`. The
 * token is good for its build only and while that build is open; the report goes through the same rules as any event.
 */
export async function takeReport(env: Environment, token: string, body: unknown): Promise<ReportAnswer> {
  const operationId = env.secrets.verifyToken(PROGRESS_TOKEN, token);
  // A forged token and one of an unknown build look alike.
  if (operationId === null || !/^[0-9a-f-]{36}$/.test(operationId)) return { status: 404, message: 'No such build.' };
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { status: 400, message: 'A report is a JSON object.' };
  const report = body as Readonly<Record<string, unknown>>;
  const { rows } = await env.pool.query<OperationRow>(
    `SELECT * FROM "Operation" WHERE "id" = $1 AND "kind" = 'createVirtualMachine'`,
    [operationId],
  );
  const operation = rows[0];
  if (!operation || operation.virtualMachineId === null) return { status: 404, message: 'No such build.' };
  if (operation.finalizedAt !== null) return { status: 410, message: 'The build is over.' };
  if ('progress' in report) return takePercentage(env, operation.virtualMachineId, operationId, report['progress']);
  if (typeof report['message'] === 'string') return takeMessage(env, operation.virtualMachineId, operationId, report);
  return { status: 400, message: 'A report has "progress" or "message".' };
}

async function takePercentage(
  env: Environment,
  machineId: number,
  operationId: string,
  value: unknown,
): Promise<ReportAnswer> {
  const percentage = readPercentage(value);
  if (percentage === null) return { status: 400, message: '"progress" is a number, not below 0.' };
  const report = { phase: 'IMAGE' as const, percentage, message: null };
  const applied = await inTransaction(env.pool, (tx) =>
    applyToMachine(tx, machineId, [{ type: 'buildReported', report }], operationId, 'reported by the image deployer'),
  );
  // A bar never goes back: a lower report is taken, and changes nothing (decision 17).
  if (applied?.ignored) env.logger.warn({ operationId, ignored: applied.ignored }, 'a progress report was ignored');
  return { status: 204 };
}

async function takeMessage(
  env: Environment,
  machineId: number,
  operationId: string,
  report: Readonly<Record<string, unknown>>,
): Promise<ReportAnswer> {
  const { mask } = await loadJobTexts(env, operationId);
  const text = (field: string): string | null =>
    typeof report[field] === 'string' ? mask(report[field]).replaceAll('\0', '\uFFFD') : null;
  const level = LEVELS.find((known) => known === String(report['level'] ?? 'DEBUG').toUpperCase());
  if (!level) return { status: 400, message: `"level" is one of ${LEVELS.join(', ')}.` };
  const message = text('message')?.trim() ?? '';
  if (message === '') return { status: 400, message: '"message" is empty.' };
  const eventAt = report['at'] === undefined ? null : new Date(String(report['at']));
  if (eventAt !== null && Number.isNaN(eventAt.getTime()))
    return { status: 400, message: '"at" is no time in ISO 8601.' };
  const diagnostic: NewDiagnostic = {
    level,
    source: text('source') ?? 'image',
    message,
    details: text('details'),
    eventAt,
  };
  await inTransaction(env.pool, async (tx) => {
    const locked = await lockMachine(tx, machineId);
    if (!locked || locked.machine.deletedAt !== null) return;
    await insertDiagnostic(tx, machineId, diagnostic);
    await touchMachine(
      tx,
      locked,
      { field: 'diagnostics', from: null, to: message.slice(0, 255) },
      { operationId, cause: 'reported by the image deployer' },
    );
  });
  return { status: 204 };
}
