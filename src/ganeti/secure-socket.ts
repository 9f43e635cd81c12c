import { isIP } from 'node:net';
import { checkServerIdentity, connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import { handshake, type LeafCertificate, sameFingerprint, tlsAddress } from './certificate.ts';

/** How a cluster proves itself: a pinned leaf, an authority, both, or (neither) the system's authorities. */
export interface TlsTrust {
  readonly fingerprint?: string;
  readonly caPem?: string;
}

/**
 * Opens verified TLS connections. RAPI's own certificate is self-signed, `CN=ganeti.example.com`, without a SAN, so Node's
 * default check fails; and with `rejectUnauthorized: false` Node never calls `checkServerIdentity` and the password would go
 * out to anyone. Hence: the leaf is fetched by a bare handshake, compared with the pin, and then trusted as the only
 * authority of the real connection, which compares the pin once more.
 */
export class SecureSocketOpener {
  readonly #trust: TlsTrust;
  readonly #pinnedLeaves = new Map<string, LeafCertificate>();

  constructor(trust: TlsTrust) {
    this.#trust = trust;
  }

  /**
   * A socket on which the server has proved itself and nothing was sent yet. Rejects with the socket's error, the signal's
   * reason, or an error of code `CERTIFICATE_MISMATCH`.
   */
  async open(origin: string, signal: AbortSignal): Promise<TLSSocket> {
    const { fingerprint, caPem } = this.#trust;
    if (caPem !== undefined) return connectVerified(origin, signal, caPem, withAuthority(fingerprint));
    if (fingerprint === undefined) return connectVerified(origin, signal, undefined, checkServerIdentity);
    const leaf = await this.#pinnedLeaf(origin, fingerprint, signal);
    try {
      return await connectVerified(origin, signal, leaf.pem, (_host, certificate) =>
        comparePin(fingerprint, certificate),
      );
    } catch (error) {
      // The server may have a new certificate: the next call fetches it and tells a mismatch from a broken connection.
      this.#pinnedLeaves.delete(origin);
      throw error;
    }
  }

  // Cached: one extra handshake for each endpoint, not for each call (a handshake costs a real Ganeti a forked child).
  async #pinnedLeaf(origin: string, fingerprint: string, signal: AbortSignal): Promise<LeafCertificate> {
    const known = this.#pinnedLeaves.get(origin);
    if (known !== undefined) return known;
    const leaf = await handshake(origin, signal);
    const mismatch = comparePin(fingerprint, leaf);
    if (mismatch !== undefined) throw mismatch;
    this.#pinnedLeaves.set(origin, leaf);
    return leaf;
  }
}

type IdentityCheck = (hostname: string, certificate: PeerCertificate) => Error | undefined;

// A Ganeti certificate signed by a site's own authority may still lack a SAN; then the pin stands in for the name.
function withAuthority(fingerprint: string | undefined): IdentityCheck {
  return (hostname, certificate) => {
    const mismatch = fingerprint === undefined ? undefined : comparePin(fingerprint, certificate);
    if (mismatch !== undefined) return mismatch;
    if (fingerprint !== undefined && certificate.subjectaltname === undefined) return undefined;
    return checkServerIdentity(hostname, certificate);
  };
}

function comparePin(pin: string, certificate: { fingerprint256: string }): Error | undefined {
  if (sameFingerprint(pin, certificate.fingerprint256)) return undefined;
  const error = new Error(`the server's certificate is ${certificate.fingerprint256}, which is not the pinned one`);
  return Object.assign(error, { code: 'CERTIFICATE_MISMATCH' });
}

function connectVerified(
  origin: string,
  signal: AbortSignal,
  ca: string | undefined,
  check: IdentityCheck,
): Promise<TLSSocket> {
  const { hostname, port } = tlsAddress(origin);
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = connect({
      host: hostname,
      port,
      servername: isIP(hostname) === 0 ? hostname : '',
      checkServerIdentity: check,
      ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
    });
    const abort = (): void => void socket.destroy(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', abort));
    // Stays attached: between this promise and undici's own listener an error would otherwise be uncaught.
    socket.on('error', reject);
    socket.once('secureConnect', () => resolve(socket));
  });
}
