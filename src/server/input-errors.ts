import {
  type ASTNode,
  type ASTVisitor,
  BREAK,
  coerceInputValue,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  isInputType,
  isNonNullType,
  Kind,
  typeFromAST,
  type ValidationContext,
  ValuesOfCorrectTypeRule,
  visit,
} from 'graphql';

/** The code of every refusal whose cause is a value in the request. */
export const INVALID_INPUT = 'INVALID_INPUT';

type InputPath = readonly (string | number)[];

/**
 * An error of graphql-js about a value, as clients get it: `extensions.path` names the variable or argument and the way
 * down to the value, `["input", "networks", 0, "ipv4"]`.
 */
function inputError(error: GraphQLError, path: InputPath | undefined): GraphQLError {
  return new GraphQLError(error.message, {
    nodes: error.nodes ?? null,
    ...(error.path ? { path: error.path } : {}),
    extensions: {
      code: INVALID_INPUT,
      ...(path ? { path: path.map(String) } : {}),
      http: { spec: true, status: 400 },
    },
  });
}

/**
 * graphql-js's own rule for literal values; what it finds carries INVALID_INPUT and the argument's path. It passes on the
 * error of a custom scalar as the scalar threw it, often without the node, so the node being looked at is kept here.
 */
export function LiteralValuesRule(context: ValidationContext): ASTVisitor {
  let current: ASTNode | undefined;
  const reporting = Object.create(context, {
    reportError: {
      value(error: GraphQLError) {
        const node = error.nodes?.[0] ?? current;
        const located = error.nodes || !node ? error : new GraphQLError(error.message, { nodes: node });
        context.reportError(inputError(located, pathOfLiteral(context.getDocument(), node)));
      },
    },
  }) as ValidationContext;
  const visitor = ValuesOfCorrectTypeRule(reporting) as Record<string, (node: ASTNode) => unknown>;
  const tracking = Object.entries(visitor).map(([kind, look]) => [
    kind,
    (node: ASTNode) => {
      current = node;
      return look(node);
    },
  ]);
  return Object.fromEntries(tracking) as ASTVisitor;
}

/** The argument, field and list index names above a literal. Only walked for an error, so a whole visit is cheap enough. */
function pathOfLiteral(document: DocumentNode, target: ASTNode | undefined): InputPath | undefined {
  if (!target) return undefined;
  let found: InputPath | undefined;
  visit(document, {
    enter(node, _key, parent, _path, ancestors) {
      if (node !== target) return undefined;
      found = namesAlong([...ancestors, ...(parent ? [parent] : []), node]);
      return BREAK;
    },
  });
  return found;
}

function namesAlong(chain: readonly (ASTNode | readonly ASTNode[])[]): InputPath | undefined {
  const path: (string | number)[] = [];
  chain.forEach((step, index) => {
    if (!('kind' in step)) return;
    if (step.kind === Kind.ARGUMENT || step.kind === Kind.OBJECT_FIELD) path.push(step.name.value);
    if (step.kind === Kind.VARIABLE_DEFINITION) path.push(step.variable.name.value);
    const next = chain[index + 1];
    if (step.kind === Kind.LIST && Array.isArray(next)) path.push(next.indexOf(chain[index + 2]));
  });
  return path.length > 0 ? path : undefined;
}

/**
 * Gives the errors of a refused request (a result without `data`) their codes. Those about variables get INVALID_INPUT and
 * a path; the path is found by coercing again with a listener, since graphql-js puts it into the message only, beside
 * text that the client chose.
 */
export function codeRequestErrors(args: ExecutionArgs, result: ExecutionResult): ExecutionResult {
  if (!result.errors || 'data' in result) return result;
  const isAboutVariables = (error: GraphQLError) => error.nodes?.[0]?.kind === Kind.VARIABLE_DEFINITION;
  const paths = result.errors.some(isAboutVariables) ? pathsOfRefusedVariables(args) : [];
  let position = 0;
  const errors = result.errors.map((error) => {
    if (isAboutVariables(error)) return inputError(error, paths[position++]);
    if (error.path || error.originalError || error.extensions.code) return error;
    const extensions = { code: 'GRAPHQL_VALIDATION_FAILED', http: { spec: true, status: 400 } };
    return new GraphQLError(error.message, { nodes: error.nodes ?? null, extensions });
  });
  return { ...result, errors };
}

/** One path per coercion error, in the order in which graphql-js reports them. */
function pathsOfRefusedVariables({ schema, document, operationName, variableValues }: ExecutionArgs): InputPath[] {
  const paths: InputPath[] = [];
  for (const definition of getOperationAST(document, operationName)?.variableDefinitions ?? []) {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type);
    if (!type || !isInputType(type)) continue;
    const isGiven = Object.hasOwn(variableValues ?? {}, name);
    const value = variableValues?.[name];
    if (!isGiven) {
      if (isNonNullType(type) && !definition.defaultValue) paths.push([name]);
    } else if (value === null && isNonNullType(type)) {
      paths.push([name]);
    } else {
      coerceInputValue(value, type, (path) => paths.push([name, ...path]));
    }
  }
  return paths;
}

/**
 * Whether graphql-js refused an argument while executing, which validation cannot always foresee: a nullable variable in
 * the place of a required argument, a variable inside a literal object.
 */
export function isArgumentRefusal(error: GraphQLError): boolean {
  return error.message.startsWith('Argument "') && error.nodes !== undefined;
}

/** {@link isArgumentRefusal}'s error with its code and the argument's name. */
export function codeArgumentRefusal(error: GraphQLError): GraphQLError {
  const name = /^Argument "(\w+)"/.exec(error.message)?.[1];
  return inputError(error, name ? [name] : undefined);
}
