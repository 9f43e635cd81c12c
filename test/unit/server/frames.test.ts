import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import { serializeOnce, shareSerialized, wireResult } from '../../../src/server/frames.ts';

test('one result object is stringified once', () => {
  let calls = 0;
  const counted = {
    toJSON() {
      calls += 1;
      return 'x';
    },
  };
  const result = { data: { counted } };
  for (let subscriber = 0; subscriber < 1_000; subscriber++)
    expect(serializeOnce(result)).toBe('{"data":{"counted":"x"}}');
  expect(calls).toBe(1);
});

test('a text that exists already is used as it is', () => {
  const result = { data: { a: 1 } };
  shareSerialized(result, '{"data":{"a":"given"}}');
  expect(serializeOnce(result)).toBe('{"data":{"a":"given"}}');
});

test('errors travel in their response form, without our own HTTP hints', () => {
  const extensions = { code: 'FORBIDDEN', http: { status: 403 } };
  const error = new GraphQLError('no', { path: ['a'], extensions, originalError: new Error('inner') });
  expect(JSON.parse(serializeOnce({ data: { a: null }, errors: [error] }))).toEqual({
    data: { a: null },
    errors: [{ message: 'no', path: ['a'], extensions: { code: 'FORBIDDEN' } }],
  });
  const clean = { data: { a: 1 } };
  expect(wireResult(clean)).toBe(clean);
});
