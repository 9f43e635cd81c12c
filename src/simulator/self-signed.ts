import { generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import { bitString, integer, objectIdentifier, sequence, setOf, utcTime, utf8String } from './der.ts';

/** A server's key and certificate in PEM. */
export interface ServerIdentity {
  readonly keyPem: string;
  readonly certificatePem: string;
}

const COMMON_NAME = '2.5.4.3';
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const DAY_MS = 86_400_000;
// As long as Ganeti's own certificates last.
const VALID_DAYS = 1825;

/** A new P-256 key with a certificate like RAPI's own: self-signed, `CN=ganeti.example.com`, no SAN, no extension at all. */
export function createServerIdentity(): ServerIdentity {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const name = sequence(setOf(sequence(objectIdentifier(COMMON_NAME), utf8String('ganeti.example.com'))));
  const algorithm = sequence(objectIdentifier(ECDSA_WITH_SHA256));
  const now = Date.now();
  // Version 1 (the field's absence), which is exact for a certificate without extensions.
  const toBeSigned = sequence(
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    sequence(utcTime(new Date(now - DAY_MS)), utcTime(new Date(now + VALID_DAYS * DAY_MS))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = new X509Certificate(sequence(toBeSigned, algorithm, bitString(signature)));
  return {
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificatePem: certificate.toString(),
  };
}

/** SHA-256 of a certificate as Node writes it. */
export function fingerprintOf(identity: ServerIdentity): string {
  return new X509Certificate(identity.certificatePem).fingerprint256;
}
