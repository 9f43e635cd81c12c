import { parseCidr } from './address-pool.ts';
import type { SimOp } from './jobs.ts';
import { COMMON, type OpcodeShape, object, type Parameters, SHAPES } from './opcode-shapes.ts';
import { pythonJson, RapiError } from './rapi-error.ts';

/** What a resource adds to the body, and how it lets parameters be called. */
export interface OpcodeFilling {
  readonly body: unknown;
  /** Set by RAPI itself; a body that sets one of them is refused. */
  readonly fixed: Readonly<Record<string, unknown>>;
  readonly rename?: Readonly<Record<string, string>>;
  readonly reason: unknown[];
}

/** Makes an opcode from a request as `FillOpcode` does. Throws the 400s of `RapiError`. */
export function fillOpcode(opId: string, filling: OpcodeFilling): SimOp {
  const shape = SHAPES[opId] as OpcodeShape;
  const given = renamed(bodyObject(filling.body), filling.rename ?? {});
  const fixed: Record<string, unknown> = { reason: filling.reason, ...filling.fixed };
  const overwritten = Object.keys(given).filter((key) => key in fixed);
  if (overwritten.length > 0) {
    throw new RapiError(400, `Can't overwrite static parameters {${overwritten.map((key) => `'${key}'`).join(', ')}}`);
  }
  const known: Parameters = { ...COMMON, ...shape.parameters };
  const all = { ...given, ...fixed };
  for (const key of Object.keys(all)) {
    if (!(key in known)) {
      throw new RapiError(
        400,
        `Invalid body parameters: Object ${shape.className} doesn't support the parameter '${key}'`,
      );
    }
  }
  const filled: SimOp = { OP_ID: opId };
  for (const [name, [check, fallback]] of Object.entries(known)) {
    const value = all[name] === undefined ? fallback : all[name];
    if (!check(value)) throw invalid(opId, name);
    if (value !== undefined) filled[name] = structuredClone(value);
  }
  if (opId === 'OP_NETWORK_ADD') checkHostBits(String(filled.network));
  return filled;
}

/** The summary of a job with this opcode: `INSTANCE_CREATE(snf-1)`. */
export function summaryOf(op: SimOp): string {
  const name = op.OP_ID.replace(/^OP_/, '');
  const subject = SHAPES[op.OP_ID]?.subject ?? null;
  return subject === null ? name : `${name}(${String(op[subject])})`;
}

// A 500 where a 400 was meant: the check itself raises something else than a validation error.
function checkHostBits(network: string): void {
  const parsed = parseCidr(network);
  if (parsed !== null && parsed.address !== parsed.base) throw new RapiError(500, `${network} has host bits set`);
}

// The message is Python's rendering of the exception's two arguments.
function invalid(opId: string, parameter: string): RapiError {
  return new RapiError(
    400,
    `Invalid body parameters: ("Parameter '${opId}.${parameter}' fails validation", 'wrong_input')`,
  );
}

function bodyObject(body: unknown): Record<string, unknown> {
  if (body === null || body === undefined) return {};
  if (!object(body)) {
    throw new RapiError(400, `Body contents: Type is '${pythonType(body)}', but 'dict' is expected`);
  }
  return body as Record<string, unknown>;
}

function renamed(given: Record<string, unknown>, rename: Readonly<Record<string, string>>): Record<string, unknown> {
  const result = { ...given };
  for (const [from, to] of Object.entries(rename)) {
    if (!(from in result)) continue;
    if (to in result) {
      throw new RapiError(400, `Parameter '${from}' was renamed to '${to}', but both are specified`);
    }
    result[to] = result[from];
    delete result[from];
  }
  return result;
}

/** What Python calls the type of a JSON value. */
export function pythonType(value: unknown): string {
  if (value === null || value === undefined) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return 'dict';
}

/** Whether anything in an opcode is not ASCII: luxid in the C locale cannot write such a job. */
export function hasNonAscii(op: SimOp): boolean {
  return [...pythonJson(op)].some((character) => character > '\u007f');
}
