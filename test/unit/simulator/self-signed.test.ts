import { X509Certificate } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { element, integer, objectIdentifier, utcTime } from '../../../src/simulator/der.ts';
import { createServerIdentity, fingerprintOf } from '../../../src/simulator/self-signed.ts';

describe('a certificate made by hand', () => {
  it("is like Ganeti's own: self-signed, by name ganeti.example.com, without a SAN", () => {
    const identity = createServerIdentity();
    const certificate = new X509Certificate(identity.certificatePem);
    expect(certificate.subject).toBe('CN=ganeti.example.com');
    expect(certificate.issuer).toBe(certificate.subject);
    expect(certificate.subjectAltName).toBeUndefined();
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(Date.parse(certificate.validFrom)).toBeLessThan(Date.now());
    expect(Date.parse(certificate.validTo)).toBeGreaterThan(Date.now() + 365 * 86_400_000);
    expect(fingerprintOf(identity)).toBe(certificate.fingerprint256);
  });

  it('serves TLS to whoever trusts it, and to nobody else', async () => {
    const { keyPem, certificatePem } = createServerIdentity();
    const server = createServer({ key: keyPem, cert: certificatePem }, (socket) => socket.end('hello'));
    server.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const says = (ca?: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect({
          port,
          host: '127.0.0.1',
          checkServerIdentity: () => undefined,
          ...(ca ? { ca } : {}),
        });
        let text = '';
        socket.on('data', (chunk) => {
          text += chunk;
        });
        socket.on('end', () => resolve(text));
        socket.on('error', reject);
      });
    expect(await says(certificatePem)).toBe('hello');
    await expect(says()).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    await expect(says(createServerIdentity().certificatePem)).rejects.toThrow();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('DER', () => {
  it.each([
    ['a short length', element(0x04, Buffer.alloc(3)), '0403000000'],
    ['a long length', element(0x04, Buffer.alloc(200)).subarray(0, 3), '0481c8'],
    ['a longer length', element(0x04, Buffer.alloc(300)).subarray(0, 4), '0482012c'],
    ['an integer', integer(Buffer.from([0x7f])), '02017f'],
    ['an integer that would be negative', integer(Buffer.from([0x80])), '02020080'],
    ['an object identifier', objectIdentifier('1.2.840.10045.4.3.2'), '06082a8648ce3d040302'],
    ['a time', utcTime(new Date('2026-12-01T02:03:04Z')), '170d3236313230313032303330345a'],
  ])('writes %s', (_what, der, hex) => {
    expect(der.toString('hex')).toBe(hex);
  });
});
