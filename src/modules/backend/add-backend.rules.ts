import { X509Certificate } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { type GanetiError, type GanetiFailureReason, isFingerprint } from '../../ganeti/index.ts';
import {
  BackendAuthenticationFailed,
  BackendCertificateMismatch,
  BackendUnreachable,
  InvalidInput,
  NotAGanetiCluster,
  type UserError,
} from '../../operations/user-error.ts';
import { checkGanetiText, checkName } from '../catalog/text.rules.ts';

export interface AddBackendInput {
  readonly name: string;
  readonly endpoints: readonly string[];
  readonly username: string;
  readonly password: string;
  readonly caPem?: string | null | undefined;
  readonly certificateFingerprint?: string | null | undefined;
  readonly hypervisor?: string | null | undefined;
  readonly isPublic: boolean;
  readonly isDrained: boolean;
  readonly createDefaults?: Readonly<Record<string, unknown>> | null | undefined;
}

/** @returns the name and the endpoints as bare origins. @throws InvalidInput with the field's path, before anything is sent */
export function checkAddBackendInput(input: AddBackendInput): { name: string; endpoints: string[] } {
  const name = checkName(input.name, ['name']);
  if (input.endpoints.length === 0 || input.endpoints.length > 8) {
    throw new InvalidInput('A cluster has 1 to 8 endpoints.', ['endpoints']);
  }
  const endpoints = input.endpoints.map((endpoint, at) => checkEndpoint(endpoint, ['endpoints', String(at)]));
  if (/[\s:]/.test(checkGanetiText(input.username, ['username'], 128))) {
    throw new InvalidInput('A RAPI user name has no blanks and no colon.', ['username']);
  }
  checkGanetiText(input.password, ['password'], 512);
  if (input.certificateFingerprint != null && !isFingerprint(input.certificateFingerprint)) {
    throw new InvalidInput('A fingerprint is a SHA-256 in hexadecimal, with or without colons.', [
      'certificateFingerprint',
    ]);
  }
  if (input.caPem != null && !isPem(input.caPem)) throw new InvalidInput('This is no certificate in PEM.', ['caPem']);
  checkCreateDefaults(input.createDefaults ?? {});
  return { name, endpoints };
}

/** One certificate or several, each of them readable: another one would make every connection fail. */
function isPem(text: string): boolean {
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return certificates.length > 0 && certificates.every(isCertificate);
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

/** Metadata services of clouds beyond the link-local 169.254.169.254. */
const METADATA_ADDRESSES = ['fd00:ec2::254', '100.100.100.200'];

/** An https origin that is neither link-local nor a cloud's metadata service (8-quality, security). */
function checkEndpoint(endpoint: string, path: readonly string[]): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (!url) throw new InvalidInput('This is no URL.', path);
  if (url.protocol !== 'https:') throw new InvalidInput('RAPI speaks https only.', path);
  if (url.username !== '' || url.password !== '')
    throw new InvalidInput('Credentials do not belong into the URL.', path);
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new InvalidInput('An endpoint is https://host:port, without a path.', path);
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(host)) {
    const address = ipaddr.process(host);
    const range = address.range();
    if (METADATA_ADDRESSES.includes(address.toString())) {
      throw new InvalidInput('A metadata service is no cluster.', path);
    }
    if (range === 'linkLocal' || range === 'multicast' || range === 'unspecified' || range === 'broadcast') {
      throw new InvalidInput(`An endpoint is no ${range} address.`, path);
    }
  } else if (/(^|\.)metadata(\.|$)/.test(host)) {
    throw new InvalidInput('A metadata service is no cluster.', path);
  }
  return url.origin;
}

/** What a create would be refused for on this cluster every time, is refused once. */
function checkCreateDefaults(defaults: Readonly<Record<string, unknown>>): void {
  checkAscii(defaults, ['createDefaults']);
  for (const field of ['beparams', 'hvparams', 'osparams']) {
    const value = defaults[field];
    if (value !== undefined && (typeof value !== 'object' || value === null || Array.isArray(value))) {
      throw new InvalidInput('This is an object of parameters.', ['createDefaults', field]);
    }
  }
  for (const [name, value] of Object.entries(defaults['osparams'] ?? {})) {
    if (typeof value !== 'string') {
      throw new InvalidInput('An OS parameter is a string.', ['createDefaults', 'osparams', name]);
    }
  }
}

function checkAscii(value: unknown, path: readonly string[]): void {
  if (typeof value === 'string' && /[^\x20-\x7e]/.test(value)) {
    throw new InvalidInput('This reaches Ganeti and takes printable ASCII only.', path);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    checkAscii(key, [...path, key]);
    checkAscii(inner, [...path, key]);
  }
}

/** What was wrong with the cluster, as the failure that names it and the field to look at. */
export function explainProbe(error: GanetiError): UserError {
  const told: Partial<Record<GanetiFailureReason, UserError>> = {
    authentication: new BackendAuthenticationFailed(
      'The cluster refuses this user name and password, or their rights.',
      ['password'],
    ),
    'certificate-mismatch': new BackendCertificateMismatch(
      'The server’s certificate is not the pinned one, or is not trusted; nothing was sent to it.',
      ['certificateFingerprint'],
    ),
    'not-a-ganeti': new NotAGanetiCluster('Something answers there, but it is no Ganeti RAPI.', ['endpoints']),
  };
  return told[error.reason] ?? new BackendUnreachable(`No answer from the cluster: ${error.message}.`, ['endpoints']);
}
