import { type ErrorCode, UserError } from '../../../src/operations/user-error.ts';

/** The user error that a check raises, by what a client acts on; a check that passes, or breaks otherwise, fails the test. */
export function failure(check: () => unknown): { code: ErrorCode; path: UserError['path'] } {
  return { code: failureOf(check).code, path: failureOf(check).path };
}

export function failureOf(check: () => unknown): UserError {
  let result: unknown;
  try {
    result = check();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error(`nothing was refused: ${String(JSON.stringify(result))}`);
}
