import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { GraphQLDateTimeISO, GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import ipaddr from 'ipaddr.js';
import { isCidrV4, isCidrV6 } from './cidr.ts';

/** A refused value carries the code at once; where it stood is added by the server, which sees the whole request. */
function refuse(message: string, node?: ValueNode): never {
  throw new GraphQLError(message, { nodes: node ?? null, extensions: { code: 'INVALID_INPUT' } });
}

/** A scalar that is a string with a grammar. `holds` is only asked of strings without NUL, which PostgreSQL cannot keep. */
function grammarScalar(name: string, description: string, example: string, holds: (text: string) => boolean) {
  const check = (value: unknown, node?: ValueNode): string => {
    if (typeof value === 'string' && !value.includes('\0') && holds(value)) return value;
    return refuse(`Not a valid ${name} value, which looks like ${example}.`, node);
  };
  return new GraphQLScalarType<string, string>({
    name,
    description,
    serialize: (value) => String(value),
    parseValue: (value) => check(value),
    parseLiteral: (node) => check(node.kind === Kind.STRING ? node.value : undefined, node),
  });
}

/** A scalar of graphql-scalars under our description, its refusals coded. */
function codedScalar<Internal, External>(
  base: GraphQLScalarType<Internal, External>,
  name: string,
  description: string,
) {
  const coded = <Value>(parse: () => Value, node?: ValueNode): Value => {
    try {
      return parse();
    } catch (error) {
      return refuse(error instanceof Error ? error.message : String(error), node);
    }
  };
  return new GraphQLScalarType<Internal, External>({
    ...base.toConfig(),
    name,
    description,
    parseValue: (value) => coded(() => base.parseValue(value)),
    parseLiteral: (node, variables) => coded(() => base.parseLiteral(node, variables), node),
  });
}

export const DateTime = codedScalar(
  GraphQLDateTimeISO,
  'DateTime',
  'A moment in UTC with milliseconds, in the `date-time` format of RFC 3339: `2026-11-30T18:00:00.000Z`.',
);

export const Json = codedScalar(
  GraphQLJSON,
  'JSON',
  'Any JSON value, where its type depends on the field it is about.',
);

export const JsonObject = codedScalar(
  GraphQLJSONObject,
  'JSONObject',
  'A JSON object whose keys are not ours to fix, such as the parameters of an OS definition.',
);

export const IPv4 = grammarScalar('IPv4', 'An IPv4 address in four decimal parts.', '10.0.0.7', (text) =>
  ipaddr.IPv4.isValidFourPartDecimal(text),
);

export const IPv6 = grammarScalar(
  'IPv6',
  'An IPv6 address without a zone.',
  '2001:db8::7',
  (text) => !text.includes('%') && ipaddr.IPv6.isValid(text),
);

export const CIDRv4 = grammarScalar(
  'CIDRv4',
  'An IPv4 network: its address and prefix length.',
  '10.0.0.0/24',
  isCidrV4,
);

export const CIDRv6 = grammarScalar(
  'CIDRv6',
  'An IPv6 network: its address and prefix length.',
  '2001:db8::/64',
  isCidrV6,
);

export const Mac = grammarScalar(
  'MAC',
  'A MAC address: six pairs of hexadecimal digits.',
  'aa:00:00:1d:02:7e',
  (text) => /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i.test(text),
);

export const Url = grammarScalar('URL', 'An absolute URL.', 'https://cluster.example.org:5080', (text) =>
  URL.canParse(text),
);

/**
 * Ganeti's job ids have no stated upper bound. A number where JSON's readers keep it exact (up to 2^53 − 1), so that a
 * job id can be compared and typed as one; a string beyond.
 */
export const BigIntScalar = new GraphQLScalarType<bigint, number | string>({
  name: 'BigInt',
  description: 'A whole number of any size: a JSON number up to 9007199254740991, a string of digits beyond.',
  serialize: (value) => {
    const number = BigInt(value as bigint);
    return number <= Number.MAX_SAFE_INTEGER && number >= Number.MIN_SAFE_INTEGER ? Number(number) : String(number);
  },
  parseValue: (value) => parseWholeNumber(value),
  parseLiteral: (node) =>
    parseWholeNumber(node.kind === Kind.INT || node.kind === Kind.STRING ? node.value : undefined, node),
});

function parseWholeNumber(value: unknown, node?: ValueNode): bigint {
  const isText = typeof value === 'string' && /^-?\d{1,38}$/.test(value);
  if (isText || (typeof value === 'number' && Number.isSafeInteger(value))) return BigInt(value);
  return refuse('Not a whole number.', node);
}
