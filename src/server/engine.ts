import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  execute as graphqlExecute,
  subscribe as graphqlSubscribe,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
  validate,
} from 'graphql';
import { codeRequestErrors, LiteralValuesRule } from './input-errors.ts';
import type { Limits } from './limits.ts';
import { limitQuerySize } from './query-limits.ts';

/** Runs one operation that yields one result. */
export type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;
/** Opens a subscription, or answers with the errors that refuse it. */
export type Subscribe = (
  args: ExecutionArgs,
) => Promise<AsyncIterable<ExecutionResult> | ExecutionResult> | AsyncIterable<ExecutionResult> | ExecutionResult;

/**
 * The four steps of every operation. There is one engine per server, so that a limit or a rule cannot hold over HTTP and
 * be missing over WebSockets.
 */
export interface Engine {
  schema: GraphQLSchema;
  /** @throws GraphQLError with code GRAPHQL_PARSE_FAILED. */
  parse(source: string): DocumentNode;
  /** Errors with codes GRAPHQL_VALIDATION_FAILED or INVALID_INPUT; empty when the document may run. */
  validate(document: DocumentNode): readonly GraphQLError[];
  execute: Execute;
  subscribe: Subscribe;
}

export interface EngineOptions {
  schema: GraphQLSchema;
  limits: Pick<Limits, 'queryTokens' | 'queryDepth' | 'queryAliases'>;
  /** Whether clients may ask for the schema. */
  introspection: boolean;
  /** Replace graphql-js, for example to share the work of equal subscriptions. */
  execute?: Execute | undefined;
  subscribe?: Subscribe | undefined;
}

/** Documents kept parsed and validated. Clients with generated documents send some dozens, over and over. */
const KEPT_DOCUMENTS = 1_000;
/** Longer ones are parsed each time, so that nobody can make the kept ones take more than some tens of MiB. */
const LONGEST_KEPT_DOCUMENT = 16 * 1024;
/** A client that makes more mistakes than this learns nothing from the rest. */
const MAX_VALIDATION_ERRORS = 20;

const badRequest = { spec: true, status: 400 };

/** Makes the {@link Engine} of a server. */
export function createEngine(options: EngineOptions): Engine {
  const { schema, limits } = options;
  const documents = new Map<string, DocumentNode>();
  const verdicts = new WeakMap<DocumentNode, readonly GraphQLError[]>();
  const rules: ValidationRule[] = [
    // First, since a refused size ends the validation before the rules whose cost grows with it.
    limitQuerySize(limits),
    ...specifiedRules.map((rule) => (rule === ValuesOfCorrectTypeRule ? LiteralValuesRule : rule)),
    ...(options.introspection ? [] : [NoSchemaIntrospectionCustomRule]),
  ];
  const execute = options.execute ?? graphqlExecute;
  const subscribe = options.subscribe ?? graphqlSubscribe;

  return {
    schema,
    parse(source) {
      const kept = documents.get(source);
      if (kept) {
        // Deleted and set again: a Map iterates in insertion order, so the first key is always the one unused longest.
        documents.delete(source);
        documents.set(source, kept);
        return kept;
      }
      const document = parseCoded(source, limits.queryTokens);
      if (source.length <= LONGEST_KEPT_DOCUMENT) {
        documents.set(source, document);
        if (documents.size > KEPT_DOCUMENTS) documents.delete(documents.keys().next().value as string);
      }
      return document;
    },
    validate(document) {
      let errors = verdicts.get(document);
      if (!errors) {
        errors = validateCoded(schema, document, rules, !options.introspection);
        verdicts.set(document, errors);
      }
      return errors;
    },
    async execute(args) {
      return codeRequestErrors(args, await execute(args));
    },
    async subscribe(args) {
      const result = await subscribe(args);
      return Symbol.asyncIterator in result ? result : codeRequestErrors(args, result);
    },
  };
}

function parseCoded(source: string, maxTokens: number): DocumentNode {
  try {
    return parse(source, { maxTokens });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new GraphQLError(error.message, {
      source: error.source ?? null,
      positions: error.positions ?? null,
      extensions: { code: 'GRAPHQL_PARSE_FAILED', http: badRequest },
    });
  }
}

function validateCoded(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: readonly ValidationRule[],
  hideSuggestions: boolean,
): readonly GraphQLError[] {
  const options = { maxErrors: MAX_VALIDATION_ERRORS, hideSuggestions };
  const sizeErrors = validate(schema, document, rules.slice(0, 1), options);
  const errors = sizeErrors.length > 0 ? sizeErrors : validate(schema, document, rules.slice(1), options);
  return errors.map((error) =>
    error.extensions.code
      ? error
      : new GraphQLError(error.message, {
          nodes: error.nodes ?? null,
          extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: badRequest },
        }),
  );
}
