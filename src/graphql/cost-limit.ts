import { complexityFromQuery } from '@pothos/plugin-complexity';
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  Kind,
} from 'graphql';
import { COST_LIMIT, tooExpensive } from './field-cost.ts';

/**
 * What the operation may cost at most, given its variables: the sizes of its pages decide.
 *
 * @throws GraphQLError when the variables do not fit; executing the operation reports that better.
 */
export function costOf(args: ExecutionArgs): number {
  const { complexity } = complexityFromQuery(onlyOperation(args), {
    schema: args.schema,
    variables: args.variableValues ?? {},
    ctx: args.contextValue as object,
  });
  return Math.ceil(complexity);
}

/** The refusal of an operation that may cost too much, before anything is loaded for it; null when it may run. */
export function refuseExpensive(args: ExecutionArgs): ExecutionResult | null {
  let cost: number;
  try {
    cost = costOf(args);
  } catch (error) {
    if (error instanceof GraphQLError) return null;
    throw error;
  }
  return cost > COST_LIMIT ? { errors: [tooExpensive(cost)] } : null;
}

/** The document without its other operations: only one runs. */
function onlyOperation({ document, operationName }: ExecutionArgs): DocumentNode {
  const operation = getOperationAST(document, operationName);
  const definitions = document.definitions.filter(
    (definition) => definition.kind === Kind.FRAGMENT_DEFINITION || definition === operation,
  );
  return { kind: Kind.DOCUMENT, definitions };
}
