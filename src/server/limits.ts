/** What a client may ask of us at most. Every number is a default of {@link defaultLimits} that the host may change. */
export interface Limits {
  /** Bytes of one GraphQL request, over HTTP as a body and over a WebSocket as a message. */
  bodyBytes: number;
  /** Lexical tokens of one document; the introspection query of GraphiQL has about 500. */
  queryTokens: number;
  /** Fields below each other; what lies below an introspection field is not counted. */
  queryDepth: number;
  /** Aliased fields, counted as often as fragments repeat them. */
  queryAliases: number;
  /** Operations that one WebSocket may have open, of any kind. */
  subscriptionsPerSocket: number;
  /** Milliseconds between the opening of a WebSocket and its `connection_init`. */
  connectionInitMs: number;
  /** Milliseconds between two pings of an open stream. A WebSocket that neither answered nor took any byte in between is cut. */
  keepAliveMs: number;
  /** Bytes waiting for one client from which its streams pause: the source is not asked for more until they are gone. */
  bufferedBytes: number;
  /** Milliseconds for a request to arrive completely. */
  requestTimeoutMs: number;
  /** Milliseconds that a readiness or liveness question may take before the answer is no. */
  healthTimeoutMs: number;
  /** Bytes of the body of a callback. */
  callbackBodyBytes: number;
  /** Requests per second with one callback token, on average. */
  callbackPerSecond: number;
  /** Requests with one callback token that may come at once. */
  callbackBurst: number;
}

/** The limits when nothing else is said. */
export const defaultLimits: Readonly<Limits> = Object.freeze({
  bodyBytes: 256 * 1024,
  queryTokens: 4_000,
  queryDepth: 12,
  queryAliases: 30,
  subscriptionsPerSocket: 200,
  connectionInitMs: 5_000,
  keepAliveMs: 12_000,
  bufferedBytes: 1024 * 1024,
  requestTimeoutMs: 30_000,
  healthTimeoutMs: 5_000,
  callbackBodyBytes: 16 * 1024,
  callbackPerSecond: 20,
  callbackBurst: 40,
});
