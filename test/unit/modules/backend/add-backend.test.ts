import { rootCertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { GanetiError, type GanetiFailureReason } from '../../../../src/ganeti/index.ts';
import {
  type AddBackendInput,
  checkAddBackendInput,
  explainProbe,
} from '../../../../src/modules/backend/add-backend.rules.ts';
import { failure } from '../failure.ts';

const INPUT: AddBackendInput = {
  name: 'athens',
  endpoints: ['https://ganeti.example.org:5080'],
  username: 'panel',
  password: 'correct horse',
  isPublic: true,
  isDrained: false,
};
const check = (change: Partial<AddBackendInput>) => checkAddBackendInput({ ...INPUT, ...change });
const [CA, OTHER_CA] = rootCertificates as [string, string];
const FINGERPRINT = 'ab'.repeat(32);

describe('endpoints', () => {
  it.each<[endpoint: string, origin: string]>([
    ['https://ganeti.example.org:5080', 'https://ganeti.example.org:5080'],
    ['https://ganeti.example.org:5080/', 'https://ganeti.example.org:5080'],
    ['HTTPS://Ganeti.Example.ORG', 'https://ganeti.example.org'],
    ['https://198.18.1.2:5080', 'https://198.18.1.2:5080'],
    ['https://127.0.0.1:15080', 'https://127.0.0.1:15080'],
    ['https://[2001:db8::7]:5080', 'https://[2001:db8::7]:5080'],
    ['https://10.0.0.7:5080', 'https://10.0.0.7:5080'],
    ['https://meta-data.example.org', 'https://meta-data.example.org'],
  ])('%s becomes the bare origin %s', (endpoint, origin) => {
    expect(check({ endpoints: [endpoint] }).endpoints).toEqual([origin]);
  });

  it.each<[rule: string, endpoint: string]>([
    ['plain http', 'http://ganeti.example.org:5080'],
    ['another scheme', 'ftp://ganeti.example.org'],
    ['no URL', 'ganeti.example.org:5080/'],
    ['nothing', ''],
    ['a path', 'https://ganeti.example.org:5080/2/info'],
    ['a query', 'https://ganeti.example.org:5080/?x=1'],
    ['a fragment', 'https://ganeti.example.org:5080/#x'],
    ['credentials', 'https://panel:secret@ganeti.example.org:5080'],
    ['a user', 'https://panel@ganeti.example.org:5080'],
    ['the metadata service', 'https://169.254.169.254'],
    ['any link-local address', 'https://169.254.0.1:5080'],
    ['a link-local address as one number', 'https://2852039166/'],
    ['a link-local address in hexadecimal', 'https://0xa9.0xfe.0xa9.0xfe/'],
    ['a link-local IPv6 address', 'https://[fe80::1]:5080'],
    ['a link-local address inside IPv6', 'https://[::ffff:169.254.169.254]:5080'],
    ['a metadata service by its IPv6 address', 'https://[fd00:ec2::254]'],
    ['a metadata service within a provider’s network', 'https://100.100.100.200'],
    ['a metadata service by name', 'https://metadata.google.internal'],
    ['no address', 'https://0.0.0.0:5080'],
    ['no IPv6 address', 'https://[::]:5080'],
    ['everybody', 'https://255.255.255.255:5080'],
    ['a multicast address', 'https://224.0.0.1:5080'],
  ])('%s is refused, and named by its place', (_rule, endpoint) => {
    const endpoints = ['https://ganeti.example.org:5080', endpoint];
    expect(failure(() => check({ endpoints }))).toEqual({ code: 'INVALID_INPUT', path: ['endpoints', '1'] });
  });

  it.each([[0], [9]])('%i of them are refused', (count) => {
    const endpoints = Array(count).fill('https://ganeti.example.org');
    expect(failure(() => check({ endpoints }))).toEqual({ code: 'INVALID_INPUT', path: ['endpoints'] });
  });
});

describe('the other fields', () => {
  it.each<[rule: string, change: Partial<AddBackendInput>]>([
    ['a name of any script', { name: 'Αθήνα' }],
    ['a password with blanks and signs', { password: ' p:"w\\ ' }],
    ['a fingerprint', { certificateFingerprint: FINGERPRINT }],
    ['a fingerprint as OpenSSL writes it', { certificateFingerprint: Array(32).fill('AB').join(':') }],
    ['an authority', { caPem: CA }],
    ['two authorities', { caPem: `${CA}\n${OTHER_CA}\n` }],
    ['nulls', { caPem: null, certificateFingerprint: null, hypervisor: null, createDefaults: null }],
    [
      'defaults by Ganeti’s names',
      {
        createDefaults: {
          hvparams: { kernel_path: '/vmlinuz', acpi: true },
          wait_for_sync: false,
          osparams: { a: 'b' },
        },
      },
    ],
  ])('%s is taken', (_rule, change) => {
    expect(check(change)).toEqual({ name: change.name ?? INPUT.name, endpoints: INPUT.endpoints });
  });

  it.each<[rule: string, change: Partial<AddBackendInput>, path: string[]]>([
    ['an empty name', { name: '' }, ['name']],
    ['a user name with a colon', { username: 'a:b' }, ['username']],
    ['a user name with a blank', { username: 'a b' }, ['username']],
    ['an empty user name', { username: '' }, ['username']],
    ['a user name that is not ASCII', { username: 'παν' }, ['username']],
    ['an empty password', { password: '' }, ['password']],
    ['a password that is not ASCII', { password: 'pässword' }, ['password']],
    ['a password with a line break', { password: 'a\nb' }, ['password']],
    ['a password without end', { password: 'x'.repeat(513) }, ['password']],
    ['a fingerprint cut short', { certificateFingerprint: FINGERPRINT.slice(1) }, ['certificateFingerprint']],
    ['a SHA-1 fingerprint', { certificateFingerprint: 'ab'.repeat(20) }, ['certificateFingerprint']],
    [
      'a fingerprint with a letter beyond F',
      { certificateFingerprint: `g${FINGERPRINT.slice(1)}` },
      ['certificateFingerprint'],
    ],
    ['an empty fingerprint', { certificateFingerprint: '' }, ['certificateFingerprint']],
    ['a text that is no PEM', { caPem: 'certificate' }, ['caPem']],
    ['a private key', { caPem: CA.replaceAll('CERTIFICATE', 'PRIVATE KEY') }, ['caPem']],
    [
      'a PEM without a certificate in it',
      { caPem: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' },
      ['caPem'],
    ],
    ['a good certificate and a broken one', { caPem: `${CA}\n${OTHER_CA.replace('MII', 'AAA')}` }, ['caPem']],
    [
      'a default that is not ASCII',
      { createDefaults: { hvparams: { vnc: ['ok', 'nö'] } } },
      ['createDefaults', 'hvparams', 'vnc', '1'],
    ],
    [
      'the name of a default that is not ASCII',
      { createDefaults: { osparams: { größe: '1' } } },
      ['createDefaults', 'osparams', 'größe'],
    ],
    ['a default with a line break', { createDefaults: { os_type: 'a\nb' } }, ['createDefaults', 'os_type']],
    ['parameters that are none', { createDefaults: { beparams: 'memory=1' } }, ['createDefaults', 'beparams']],
    ['parameters in a list', { createDefaults: { hvparams: [] } }, ['createDefaults', 'hvparams']],
    [
      'an OS parameter that is no string',
      { createDefaults: { osparams: { size: 1 } } },
      ['createDefaults', 'osparams', 'size'],
    ],
  ])('%s is refused', (_rule, change, path) => {
    expect(failure(() => check(change))).toEqual({ code: 'INVALID_INPUT', path });
  });

  it('no refusal repeats the password', () => {
    for (const change of [{ password: 'pässword-secret' }, { endpoints: ['https://u:pass-secret@h'] }]) {
      expect(() => check(change)).toThrow(expect.not.stringContaining('secret'));
    }
  });
});

describe('what was wrong with a cluster that was looked at', () => {
  it.each<[reason: GanetiFailureReason, code: string, path: string[]]>([
    ['authentication', 'BACKEND_AUTHENTICATION_FAILED', ['password']],
    ['certificate-mismatch', 'BACKEND_CERTIFICATE_MISMATCH', ['certificateFingerprint']],
    ['not-a-ganeti', 'NOT_A_GANETI_CLUSTER', ['endpoints']],
    ['unreachable', 'BACKEND_UNREACHABLE', ['endpoints']],
    ['timeout', 'BACKEND_UNREACHABLE', ['endpoints']],
  ])('%s is %s', (reason, code, path) => {
    const error = new GanetiError({ kind: 'retryable', reason, message: 'ECONNREFUSED' });
    expect(explainProbe(error)).toMatchObject({ code, path });
  });
});
