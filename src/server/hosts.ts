import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';

/** Whether nothing but this machine can reach an address that is listened on under this name. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (name === 'localhost') return true;
  if (isIPv4(name)) return name.startsWith('127.');
  if (isIPv6(name)) return name === '::1' || /^::ffff:127\./.test(name);
  return false;
}

/** Which names and web origins a listener answers to. */
export interface HostRule {
  /** Why the request is refused, or undefined when it may pass. */
  refusal(request: IncomingMessage): string | undefined;
  /** The origin to name in CORS headers, or undefined when the browser must keep the answer from the page. */
  corsOrigin(request: IncomingMessage): string | undefined;
}

function hostnameOf(hostHeader: string): string | undefined {
  try {
    return new URL(`http://${hostHeader}`).hostname;
  } catch {
    return undefined;
  }
}

function hostnameOfOrigin(origin: string): string | undefined {
  try {
    return new URL(origin).hostname;
  } catch {
    return undefined;
  }
}

/**
 * Without authentication the only thing between a web page and an administrator's API on loopback is the browser. A page
 * can reach us under its own name by DNS rebinding (its name resolves to 127.0.0.1: the Host header gives it away) or
 * directly across origins (the Origin header does). Both are compared by name, any port, so that a front end on another
 * local port works.
 *
 * @param allowedHosts names besides the loopback ones, or `any` when real authentication makes the question moot.
 * @param corsOrigins whole origins that may read answers, whatever `allowedHosts` is.
 */
export function createHostRule(allowedHosts: readonly string[] | 'any', corsOrigins: readonly string[] = []): HostRule {
  const listed = new Set(corsOrigins);
  const isAllowed = (name: string | undefined): boolean =>
    name !== undefined && allowedHosts !== 'any' && (isLoopback(name) || allowedHosts.includes(name));

  return {
    refusal(request) {
      if (allowedHosts === 'any') return undefined;
      if (!isAllowed(hostnameOf(request.headers.host ?? ''))) return 'This server does not answer to that host name.';
      const { origin } = request.headers;
      if (origin === undefined || listed.has(origin) || isAllowed(hostnameOfOrigin(origin))) return undefined;
      return 'Requests from that origin are refused.';
    },
    corsOrigin({ headers: { origin } }) {
      if (origin === undefined) return undefined;
      return listed.has(origin) || isAllowed(hostnameOfOrigin(origin)) ? origin : undefined;
    },
  };
}
