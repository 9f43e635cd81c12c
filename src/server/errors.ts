import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Logger } from '../observability/logger.ts';
import { codeArgumentRefusal, INVALID_INPUT, isArgumentRefusal } from './input-errors.ts';

/** The only thing a client learns of a bug, besides the request id to ask about. */
const MASKED_MESSAGE = 'Unexpected error.';

/** Turns what happened into what a client may see. */
export interface ErrorPresenter {
  /** `result` itself when it has no errors, so that its serialised form can be shared. */
  present(result: ExecutionResult, requestId: string): ExecutionResult;
  /** One thrown value of any kind. */
  presentThrown(error: unknown, requestId: string): GraphQLError;
}

/**
 * Masks every error that nobody meant to send, and logs it with the request id.
 *
 * Meant is a GraphQLError with an `extensions.code`, or what graphql-js and Pothos say about the client's input. A
 * GraphQLError without a code is masked as well: graphql-js itself raises such errors for bugs of ours, and quotes the
 * offending value ("String cannot represent value: …").
 *
 * @param maskError may replace an error before all else; undefined leaves it to these rules.
 */
export function createErrorPresenter(options: {
  logger: Logger;
  maskError?: ((error: GraphQLError) => GraphQLError | undefined) | undefined;
}): ErrorPresenter {
  // A failure of a shared subscription reaches thousands of clients; it is one line in the log.
  const logged = new WeakSet<object>();

  function mask(error: GraphQLError, cause: unknown, requestId: string, hasData: boolean): GraphQLError {
    const seen = typeof cause === 'object' && cause !== null;
    if (!seen || !logged.has(cause)) {
      if (seen) logged.add(cause);
      options.logger.error({ err: cause, requestId, path: error.path?.join('.') }, 'unexpected error in an operation');
    }
    return new GraphQLError(MASKED_MESSAGE, {
      nodes: error.nodes ?? null,
      ...(error.path ? { path: error.path } : {}),
      extensions: { code: 'INTERNAL_SERVER_ERROR', requestId, ...(hasData ? {} : { http: { status: 500 } }) },
    });
  }

  function presentOne(error: GraphQLError, requestId: string, hasData: boolean): GraphQLError {
    const replaced = options.maskError?.(error);
    if (replaced) return replaced;
    const cause = rootCause(error);
    if (!(cause instanceof GraphQLError)) return mask(error, cause, requestId, hasData);
    const { code, unexpected } = { ...cause.extensions, ...error.extensions } as Record<string, unknown>;
    if (unexpected === true) return mask(error, cause, requestId, hasData);
    if (typeof code === 'string') return withoutInternals(error, code);
    if (isArgumentRefusal(cause)) return codeArgumentRefusal(error);
    // Pothos: a malformed global id, a query above the complexity limit.
    if (cause.name.endsWith('ValidationError')) return withoutInternals(error, INVALID_INPUT);
    return mask(error, cause, requestId, hasData);
  }

  return {
    present(result, requestId) {
      if (!result.errors) return result;
      const hasData = 'data' in result;
      return { ...result, errors: result.errors.map((error) => presentOne(error, requestId, hasData)) };
    },
    presentThrown(error, requestId) {
      const cause = error instanceof Error ? error : new Error(String(error));
      const graphQLError =
        cause instanceof GraphQLError ? cause : new GraphQLError(cause.message, { originalError: cause });
      return presentOne(graphQLError, requestId, false);
    },
  };
}

/** What was thrown first, below the wrappers that add a location and a path. */
function rootCause(error: GraphQLError): Error {
  let cause: Error = error;
  while (cause instanceof GraphQLError && cause.originalError) cause = cause.originalError;
  return cause;
}

/** Yoga keeps the parser's own error under `extensions.originalError`; clients have no use for it. */
function withoutInternals(error: GraphQLError, code: string): GraphQLError {
  const { originalError: _dropped, ...extensions } = error.extensions;
  return new GraphQLError(error.message, {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
    ...(error.path ? { path: error.path } : {}),
    extensions: { ...extensions, code },
  });
}
