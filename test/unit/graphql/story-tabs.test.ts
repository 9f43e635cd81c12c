import { readdirSync, readFileSync } from 'node:fs';
import { type DocumentNode, getOperationAST, type OperationDefinitionNode, parse, validate } from 'graphql';
import { getVariableValues } from 'graphql/execution/values.js';
import { describe, expect, it } from 'vitest';
import { costOf } from '../../../src/graphql/cost-limit.ts';
import { COST_LIMIT } from '../../../src/graphql/field-cost.ts';
import { storyTabs } from '../../../src/graphql/story-tabs.ts';
import { schema } from '../../../src/schema.ts';

const FOLDER = 'schema/documents';
const files = readdirSync(FOLDER).filter((file) => file.endsWith('.graphql'));

const operationOf = (document: DocumentNode) => getOperationAST(document) as OperationDefinitionNode;

describe.each(files)('%s', (file) => {
  const document = parse(readFileSync(`${FOLDER}/${file}`, 'utf8'));

  it('is valid, named like its file and cheap enough', () => {
    expect(validate(schema, document)).toEqual([]);
    const name = operationOf(document).name?.value ?? '';
    expect(`${name.replaceAll(/(?<!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase()}.graphql`).toBe(file);
    const variables = { first: 100, id: '', virtualMachineId: '', input: {} };
    const isQuery = operationOf(document).operation !== 'mutation';
    if (isQuery)
      expect(costOf({ schema, document, variableValues: variables, contextValue: {} })).toBeLessThan(COST_LIMIT);
  });
});

describe('the tabs of GraphiQL', () => {
  it('are there, with variables that fit', () => {
    const tabs = storyTabs();
    expect(tabs.length).toBeGreaterThan(4);
    for (const { title, document, variables } of tabs) {
      expect(title).toMatch(/[.]$/);
      const { variableDefinitions = [] } = operationOf(parse(document));
      expect(getVariableValues(schema, variableDefinitions, variables)).not.toHaveProperty('errors');
    }
  });

  it('begin with a subscription one click away', () => {
    const [first] = storyTabs();
    expect(operationOf(parse(first?.document ?? '')).operation).toBe('subscription');
    expect(first?.variables).toEqual({});
  });
});
