import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { costOf, refuseExpensive } from '../../../src/graphql/cost-limit.ts';
import { COST_LIMIT } from '../../../src/graphql/field-cost.ts';
import { schema } from '../../../src/schema.ts';

const args = (source: string, variableValues: Record<string, unknown> = {}, operationName?: string) => ({
  schema,
  document: parse(source),
  variableValues,
  contextValue: {},
  ...(operationName ? { operationName } : {}),
});

describe('the cost of an operation', () => {
  it('is that of its pages: 1 per object, 0.1 per value', () => {
    // The connection, and 20 machines of 1.2 each.
    expect(costOf(args('{ virtualMachines { nodes { id name } } }'))).toBe(25);
    expect(costOf(args('{ virtualMachines(first: 100) { nodes { id name backend { id } } } }'))).toBe(231);
    expect(
      costOf(args('query($n: Int) { virtualMachines(last: $n) { edges { node { backend { id } } } } }', { n: 50 })),
    ).toBe(106);
  });

  it('lets the list through that frontends need', () => {
    const list = `{ virtualMachines(first: 100) { totalCount pageInfo { endCursor } edges { cursor node {
      id name operState task buildPercentage version createdAt backend { id name } flavor { id name cpu } image { id name }
      nics { id index mac ipv4 network { id name subnet } } lastJob { jobId status } currentOperation { id kind status }
      operations(first: 5) { nodes { id kind status } } } } } }`;
    expect(refuseExpensive(args(list))).toBeNull();
  });

  it.each([
    '{ virtualMachines(first: 100) { nodes { operations(first: 100) { nodes { id } } } } }',
    '{ backends(first: 100) { nodes { virtualMachines(first: 100) { nodes { changes(first: 100) { nodes { id } } } } } } }',
    'subscription { virtualMachinesChanged { virtualMachine { backend { virtualMachines(first: 100) { nodes { operations(first: 100) { nodes { id } } } } } } } }',
    '{ virtualMachines(first: 2147483647) { nodes { operations(last: 2147483647) { nodes { id } } } } }',
  ])('refuses %s, saying what it would cost', (source) => {
    const { errors } = refuseExpensive(args(source)) ?? {};
    expect(errors).toHaveLength(1);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'QUERY_TOO_EXPENSIVE', limit: COST_LIMIT });
    expect(errors?.[0]?.extensions.cost).toBeGreaterThan(COST_LIMIT);
  });

  it('counts only the operation that runs, and leaves bad variables to the executor', () => {
    const both =
      'query A { viewer { id } } query B { virtualMachines(first: 100) { nodes { operations(first: 100) { nodes { id } } } } }';
    expect(refuseExpensive(args(both, {}, 'A'))).toBeNull();
    expect(refuseExpensive(args(both, {}, 'B'))).not.toBeNull();
    expect(
      refuseExpensive(args('query($n: Int!) { virtualMachines(first: $n) { totalCount } }', { n: 'x' })),
    ).toBeNull();
    expect(refuseExpensive(args('{ __schema { types { name fields { name } } } }'))).toBeNull();
  });
});
