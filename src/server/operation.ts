import type { IncomingMessage } from 'node:http';
import { type ExecutionArgs, type ExecutionResult, GraphQLError, getOperationAST } from 'graphql';
import type { Engine } from './engine.ts';

/** The part of `Headers` that an HTTP request and a WebSocket's upgrade request both offer. */
export interface RequestHeaders {
  get(name: string): string | null;
}

/** Who sent an operation, as far as the transport can tell. */
export interface OperationRequest {
  headers: RequestHeaders;
  /** The payload of `connection_init`; absent over HTTP and SSE. */
  connectionParams?: Record<string, unknown>;
  /** The id in the response header `x-request-id`, in the extensions of a masked error and in the log. */
  requestId: string;
  /** Aborted when the client went away or ended the operation. */
  signal?: AbortSignal;
}

/** Makes the context value of one operation; what it throws is the operation's answer. */
export type CreateContext = (request: OperationRequest) => Promise<object>;

/** What a client sends, whatever the transport. */
export interface OperationParams {
  query: string;
  operationName?: string | null | undefined;
  variables?: Record<string, unknown> | null | undefined;
}

/** Node's headers behind the interface of the Fetch API; repeated ones are joined as HTTP prescribes. */
export function requestHeaders(request: IncomingMessage): RequestHeaders {
  return {
    get(name) {
      const value = request.headers[name.toLowerCase()];
      return Array.isArray(value) ? value.join(', ') : (value ?? null);
    },
  };
}

/**
 * Parses and validates, for the transports that we serve ourselves.
 *
 * @returns the arguments to execute, still without a context, or the errors that refuse the operation.
 */
export function prepareOperation(engine: Engine, params: OperationParams): ExecutionArgs | readonly GraphQLError[] {
  try {
    const document = engine.parse(params.query);
    const errors = engine.validate(document);
    if (errors.length > 0) return errors;
    if (!getOperationAST(document, params.operationName)) {
      const extensions = { code: 'OPERATION_RESOLUTION_FAILURE', http: { status: 400 } };
      return [new GraphQLError('Could not determine what operation to execute.', { extensions })];
    }
    return {
      schema: engine.schema,
      document,
      ...(params.variables ? { variableValues: params.variables } : {}),
      ...(params.operationName ? { operationName: params.operationName } : {}),
    };
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

/** What was thrown by an executor, as the result that it did not get to return. */
export function resultOfThrown(error: unknown): ExecutionResult {
  if (error instanceof GraphQLError) return { errors: [error] };
  const originalError = error instanceof Error ? error : new Error(String(error));
  return { errors: [new GraphQLError(originalError.message, { originalError })] };
}
