import { InvalidInput } from '../operations/user-error.ts';
import { invalidArgument } from './top-level-errors.ts';

/** How a type's rows are keyed: a serial number, a long one, or a UUID. */
export type IdKind = 'int4' | 'int8' | 'uuid';

/** What {@link NodeType.idOf} gives for each kind. */
export interface LocalIds {
  int4: number;
  int8: bigint;
  uuid: string;
}

const GRAMMARS: { readonly [Kind in IdKind]: (text: string) => LocalIds[Kind] | undefined } = {
  int4: (text) => (/^(0|[1-9]\d{0,9})$/.test(text) && Number(text) < 2 ** 31 ? Number(text) : undefined),
  int8: (text) => (/^(0|[1-9]\d{0,18})$/.test(text) && BigInt(text) < 2n ** 63n ? BigInt(text) : undefined),
  uuid: (text) => (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text) ? text : undefined),
};

const kinds = new Map<string, IdKind>();

/** An object type with a global id. */
export interface NodeType<Kind extends IdKind = IdKind> {
  readonly name: string;
  readonly kind: Kind;
}

/** Registers a type whose global ids are `base64url(name:key)`, with keys of that kind. */
export function defineNodeType<Kind extends IdKind>(name: string, kind: Kind): NodeType<Kind> {
  kinds.set(name, kind);
  return { name, kind };
}

/** Whether objects of this GraphQL type have global ids of ours. */
export function isNodeTypeName(name: string): boolean {
  return kinds.has(name);
}

/** The opaque id that clients see. */
export function encodeGlobalId(typename: string, key: string | number | bigint): string {
  return Buffer.from(`${typename}:${key}`).toString('base64url');
}

/** The parts of a global id; throws what Pothos expects, since it is only asked about ids that were parsed before. */
export function decodeGlobalId(globalId: string): { typename: string; id: string } {
  const parsed = parseGlobalId(globalId);
  if (!parsed) throw invalidArgument('Not an id of this API.', ['id']);
  return parsed;
}

/** The parts of a well-formed id of a known type; undefined for anything else, other spellings of the same id included. */
export function parseGlobalId(globalId: string): { typename: string; id: string } | undefined {
  const text = Buffer.from(globalId, 'base64url').toString('utf8');
  const colon = text.indexOf(':');
  const typename = text.slice(0, colon);
  const id = text.slice(colon + 1);
  const kind = kinds.get(typename);
  if (!kind || GRAMMARS[kind](id) === undefined) return undefined;
  return encodeGlobalId(typename, id) === globalId ? { typename, id } : undefined;
}

function localId<Kind extends IdKind>(type: NodeType<Kind>, globalId: string): LocalIds[Kind] | undefined {
  const parsed = parseGlobalId(globalId);
  return parsed?.typename === type.name ? GRAMMARS[type.kind](parsed.id) : undefined;
}

const notAnIdOf = (type: NodeType) => `Not the id of a ${type.name}.`;

/**
 * The key behind an id in a mutation's input.
 *
 * @throws InvalidInput with `path` for an id of another type or none.
 */
export function inputId<Kind extends IdKind>(
  type: NodeType<Kind>,
  globalId: string,
  path: readonly string[],
): LocalIds[Kind] {
  const id = localId(type, globalId);
  if (id === undefined) throw new InvalidInput(notAnIdOf(type), path);
  return id;
}

/**
 * The key behind an id in an argument of a query or subscription.
 *
 * @throws GraphQLError INVALID_INPUT with `path` for an id of another type or none.
 */
export function argumentId<Kind extends IdKind>(
  type: NodeType<Kind>,
  globalId: string,
  path: readonly string[],
): LocalIds[Kind] {
  const id = localId(type, globalId);
  if (id === undefined) throw invalidArgument(notAnIdOf(type), path);
  return id;
}
