import { createHash } from 'node:crypto';
import {
  type ASTNode,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  getOperationAST,
  Kind,
  print,
  visit,
} from 'graphql';
import type { GraphQLContext } from './context.ts';

/**
 * Executes a subscription's operation for one event, once for all subscribers who would get the same result: the same
 * event object, the same text, the same variables where they matter, the same viewer. They are handed the identical
 * result object, so that a transport can also write it as JSON once.
 *
 * The resolvers of a shared execution must look at nothing but the event, their arguments and the viewer.
 *
 * @param args.rootValue the event; one that is no object is executed for this subscriber alone.
 */
export function executeShared(args: ExecutionArgs): Promise<ExecutionResult> {
  const { rootValue: event } = args;
  if (typeof event !== 'object' || event === null) return executeFresh(args);
  let results = resultsByEvent.get(event);
  if (!results) {
    results = new Map();
    resultsByEvent.set(event, results);
  }
  const key = sharingKey(args);
  let result = results.get(key);
  if (!result) {
    result = executeFresh(args);
    results.set(key, result);
  }
  return result;
}

/** Results live as long as somebody holds the event: the last stream that has it to send. */
const resultsByEvent = new WeakMap<object, Map<string, Promise<ExecutionResult>>>();

/**
 * With a context of its own: what was loaded for the event before must not answer for this one, and Pothos keeps its
 * loaders by context.
 */
async function executeFresh(args: ExecutionArgs): Promise<ExecutionResult> {
  return execute({ ...args, contextValue: { ...(args.contextValue as GraphQLContext) } });
}

interface Key {
  readonly document: DocumentNode;
  readonly operationName: ExecutionArgs['operationName'];
  readonly viewerId: string;
  readonly text: string;
}

/** A subscriber's variables are the same object for all its events, so that its key is made once. */
const keys = new WeakMap<object, Key>();
const NO_VARIABLES: Readonly<Record<string, unknown>> = {};

function sharingKey(args: ExecutionArgs): string {
  const { document, operationName } = args;
  const variables = args.variableValues ?? NO_VARIABLES;
  const { viewer } = args.contextValue as GraphQLContext;
  const known = keys.get(variables);
  const isSame = known?.document === document && known.operationName === operationName && known.viewerId === viewer.id;
  if (isSame) return known.text;
  const used = variablesOfResult(document, operationName);
  const values = [...used].sort().map((name) => [name, variables[name]]);
  const text = JSON.stringify([digest(document), operationName ?? null, viewer.id, values]);
  keys.set(variables, { document, operationName, viewerId: viewer.id, text });
  return text;
}

const digests = new WeakMap<DocumentNode, string>();

/** Equal texts are equal documents, also when each connection has parsed its own. */
function digest(document: DocumentNode): string {
  let known = digests.get(document);
  if (known === undefined) {
    known = createHash('sha256').update(print(document)).digest('base64url');
    digests.set(document, known);
  }
  return known;
}

const usedVariables = new WeakMap<DocumentNode, Map<string, ReadonlySet<string>>>();

/**
 * The variables that a result depends on: all but those that stand in the arguments of the subscription's root field only,
 * which were read when it began. Subscribers who came with different cursors share from then on.
 */
function variablesOfResult(document: DocumentNode, operationName: string | null | undefined): ReadonlySet<string> {
  let byOperation = usedVariables.get(document);
  if (!byOperation) {
    byOperation = new Map();
    usedVariables.set(document, byOperation);
  }
  const name = operationName ?? '';
  let used = byOperation.get(name);
  if (!used) {
    used = readVariables(document, operationName);
    byOperation.set(name, used);
  }
  return used;
}

function readVariables(document: DocumentNode, operationName: string | null | undefined): Set<string> {
  const used = new Set<string>();
  const read = (node: ASTNode) =>
    visit(node, {
      VariableDefinition: () => false,
      Variable: ({ name }) => {
        used.add(name.value);
      },
    });
  const operation = getOperationAST(document, operationName);
  for (const selection of operation?.selectionSet.selections ?? []) {
    read(selection.kind === Kind.FIELD ? { ...selection, arguments: [] } : selection);
  }
  for (const directive of operation?.directives ?? []) read(directive);
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) read(definition);
  }
  return used;
}
