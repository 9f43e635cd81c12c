import { buildSchema, getIntrospectionQuery, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { limitQuerySize } from '../../../src/server/query-limits.ts';

const schema = buildSchema('type Query { a: Query b: Query x: Int }');

function refusals(query: string, limits = { queryDepth: 4, queryAliases: 3 }): string[] {
  return validate(schema, parse(query), [limitQuerySize(limits)]).map(({ message }) => message);
}

test.each([
  ['the deepest allowed', '{ a { a { a { x } } } }', 0],
  ['one too deep', '{ a { a { a { a { x } } } } }', 1],
  [
    'depth through fragments',
    'query { a { ...F } } fragment F on Query { a { ...G } } fragment G on Query { a { a { x } } }',
    1,
  ],
  ['depth through inline fragments', '{ ... { a { ... on Query { a { a { a { x } } } } } } }', 1],
  ['the most aliases allowed', '{ p: x q: x r: x }', 0],
  ['one alias too many', '{ p: x q: x r: x s: x }', 1],
  ['aliases counted as often as they are spread', '{ a { ...F } b { ...F } } fragment F on Query { p: x q: x }', 1],
  ['each operation for itself', 'query A { p: x q: x } query B { p: x q: x }', 0],
  ['a fragment that contains itself', '{ ...F } fragment F on Query { a { ...F } }', 0],
  ['introspection', getIntrospectionQuery(), 0],
  ['aliased introspection', '{ a1: __typename a2: __typename a3: __typename a4: __typename }', 1],
])('%s', (_name, query, expected) => {
  expect(refusals(query)).toHaveLength(expected);
});

test('fragments that double at each level are counted without being expanded', () => {
  const levels = Array.from({ length: 60 }, (_, level) => {
    const next = level === 59 ? 'x' : `...F${level + 1}`;
    return `fragment F${level} on Query { p: a { ${next} } q: a { ${next} } }`;
  });
  const startedAtMs = performance.now();
  const [, message] = refusals(`{ ...F0 } ${levels.join(' ')}`);
  expect(message).toMatch(/aliases, at most 3/);
  expect(performance.now() - startedAtMs).toBeLessThan(1_000);
});
