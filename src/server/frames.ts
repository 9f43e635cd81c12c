import type { ExecutionResult, FormattedExecutionResult, GraphQLFormattedError } from 'graphql';

/** The JSON of results already written, by identity: it goes when the result goes. */
const written = new WeakMap<object, string>();

/**
 * A result as it travels: errors in their response form, without the `extensions.http` that only tells our own HTTP layer
 * which status to send.
 */
export function wireResult(result: ExecutionResult): FormattedExecutionResult {
  if (!result.errors) return result as FormattedExecutionResult;
  const errors = result.errors.map((error) => wireError(error.toJSON()));
  return { ...result, errors };
}

/** {@link wireResult} for one error. */
export function wireError(error: GraphQLFormattedError): GraphQLFormattedError {
  if (!error.extensions || !('http' in error.extensions)) return error;
  const { http: _http, ...extensions } = error.extensions;
  return { ...error, extensions };
}

/**
 * The JSON of a result, made once per result *object*: N streams that are handed the same object by a shared subscription
 * cost one `JSON.stringify`. A result must not change after it was first handed out.
 */
export function serializeOnce(result: ExecutionResult): string {
  let json = written.get(result);
  if (json === undefined) {
    json = JSON.stringify(wireResult(result));
    written.set(result, json);
  }
  return json;
}

const tails = new WeakMap<object, Buffer>();

/** {@link serializeOnce} as the bytes that end a `next` message, with its closing brace; also made once. */
export function messageTailOnce(result: ExecutionResult): Buffer {
  let tail = tails.get(result);
  if (tail === undefined) {
    tail = Buffer.from(`${serializeOnce(result)}}`);
    tails.set(result, tail);
  }
  return tail;
}

/** The bytes that begin each `next` message of one operation. */
export function messageHead(id: string): Buffer {
  return Buffer.from(`{"id":${JSON.stringify(id)},"type":"next","payload":`);
}

/**
 * Says that `json` is the serialised form of `result`, for a source that has the text already (a row read as JSON, a
 * compiled serialiser). It must be one line: it becomes the data of one server-sent event.
 */
export function shareSerialized(result: ExecutionResult, json: string): void {
  written.set(result, json);
}
