import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { classifyTransportError } from './classify.ts';
import { GanetiError } from './errors.ts';

/** A server's own certificate. */
export interface LeafCertificate {
  /** SHA-256 as Node writes it: `AB:CD:…`. */
  readonly fingerprint256: string;
  readonly pem: string;
}

/** Whether two SHA-256 fingerprints are the same, with or without colons, in any case. */
export function sameFingerprint(one: string, other: string): boolean {
  return bareFingerprint(one) === bareFingerprint(other);
}

/** Whether a text is a SHA-256 fingerprint: 64 hexadecimal digits, colons allowed between them. */
export function isFingerprint(text: string): boolean {
  return /^[0-9A-F]{64}$/.test(bareFingerprint(text));
}

function bareFingerprint(text: string): string {
  return text.trim().replaceAll(':', '').toUpperCase();
}

/**
 * The certificate a server presents, by a bare TLS handshake: nothing is verified because nothing is sent.
 * Throws {@link GanetiError}: `unreachable`, `timeout`, or `not-a-ganeti` when the peer speaks no TLS.
 * @param origin an https origin
 * @param timeoutMs for the whole handshake
 */
export async function fetchCertificate(origin: string, timeoutMs = 15_000): Promise<LeafCertificate> {
  try {
    return await handshake(origin, AbortSignal.timeout(timeoutMs));
  } catch (error) {
    throw new GanetiError(classifyTransportError('read', { phase: 'connecting', ...connectFailure(error, origin) }));
  }
}

/** As {@link fetchCertificate}, ended by a signal; rejects with the bare socket error or the signal's reason. */
export function handshake(origin: string, signal: AbortSignal): Promise<LeafCertificate> {
  const { hostname, port } = tlsAddress(origin);
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket: TLSSocket = connect({
      host: hostname,
      port,
      servername: isIP(hostname) === 0 ? hostname : '',
      // The one place where this is right: the certificate is the question, and the socket is closed unused.
      rejectUnauthorized: false,
    });
    const abort = (): void => void socket.destroy(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', abort));
    socket.on('error', reject);
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate();
      socket.destroy();
      if (certificate === undefined) reject(new Error('the server presented no certificate'));
      else resolve({ fingerprint256: certificate.fingerprint256, pem: certificate.toString() });
    });
  });
}

/** Host and port of an https origin, ready for `tls.connect` (an IPv6 address without its brackets). */
export function tlsAddress(origin: string): { hostname: string; port: number } {
  const url = new URL(origin);
  return { hostname: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? 443 : Number(url.port) };
}

/** Code and message of what ended a connection attempt. */
export function connectFailure(error: unknown, origin: string): { code: string | null; message: string } {
  const { code, name } = error as { code?: unknown; name?: unknown };
  if (name === 'TimeoutError') return { code: 'TIMEOUT', message: `${origin} did not answer in time` };
  if (name === 'AbortError') return { code: 'ABORTED', message: `the call to ${origin} was given up` };
  return { code: typeof code === 'string' ? code : null, message: `no connection to ${origin}: ${firstLine(error)}` };
}

function firstLine(error: unknown): string {
  // An AggregateError (several addresses tried) has an empty message of its own.
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  const message = inner instanceof Error ? inner.message : String(inner);
  return (message.split('\n', 1)[0] ?? '').trim();
}
