import { GraphQLError } from 'graphql';
import type { ErrorCode, InputPath, UserError } from '../operations/user-error.ts';

/**
 * Expected failures that no union can carry: arguments of queries and subscriptions, scalars, cursors. They go to the
 * top-level `errors` with `extensions { code, path }`, where `path` leads to the argument.
 */
function topLevelError(code: ErrorCode, message: string, path: InputPath): GraphQLError {
  return new GraphQLError(message, { extensions: path === null ? { code } : { code, path } });
}

/** An argument outside its stated domain. */
export function invalidArgument(message: string, path: readonly string[]): GraphQLError {
  return topLevelError('INVALID_INPUT', message, path);
}

/** Nothing to subscribe to, or nothing that the viewer may see: the two look alike. */
export function unknownArgument(message: string, path: readonly string[]): GraphQLError {
  return topLevelError('NOT_FOUND', message, path);
}

/** A service's expected failure where there is no union to put it in. */
export function fromUserError(error: UserError): GraphQLError {
  return topLevelError(error.code, error.message, error.path);
}
