import { describe, expect, it } from 'vitest';
import {
  checkFlavorInput,
  checkImageInput,
  type FlavorInput,
  type ImageInput,
} from '../../../../src/modules/catalog/catalog.rules.ts';
import { failure } from '../failure.ts';

const FLAVOR: FlavorInput = { cpu: 2, memoryMiB: 2048, diskGiB: 20, diskTemplate: 'drbd' };
const IMAGE: ImageInput = { name: 'Debian', osType: 'debootstrap+default' };

describe('a flavor', () => {
  it.each<[change: Partial<FlavorInput>, name: string]>([
    [{}, 'C2R2048D20drbd'],
    [{ cpu: 1, memoryMiB: 256, diskGiB: 1, diskTemplate: 'file' }, 'C1R256D1file'],
    [{ diskGiB: 0, diskTemplate: 'diskless' }, 'C2R2048D0diskless'],
  ])('%o is called %s', (change, name) => {
    expect(checkFlavorInput({ ...FLAVOR, ...change })).toBe(name);
  });

  it.each<[change: Partial<FlavorInput>, code: string, field: string]>([
    [{ cpu: 0 }, 'INVALID_INPUT', 'cpu'],
    [{ cpu: 1.5 }, 'INVALID_INPUT', 'cpu'],
    [{ cpu: 1025 }, 'INVALID_INPUT', 'cpu'],
    [{ memoryMiB: 0 }, 'INVALID_INPUT', 'memoryMiB'],
    [{ memoryMiB: Number.NaN }, 'INVALID_INPUT', 'memoryMiB'],
    [{ diskGiB: 0 }, 'INVALID_INPUT', 'diskGiB'],
    [{ diskGiB: -1, diskTemplate: 'diskless' }, 'INVALID_INPUT', 'diskGiB'],
    [{ diskTemplate: 'floppy' }, 'INVALID_INPUT', 'diskTemplate'],
    [{ diskTemplate: '' }, 'INVALID_INPUT', 'diskTemplate'],
    [{ diskTemplate: 'ext' }, 'UNSUPPORTED', 'diskTemplate'],
    [{ diskTemplate: 'ext_vlmc' }, 'UNSUPPORTED', 'diskTemplate'],
  ])('%o is refused', (change, code, field) => {
    expect(failure(() => checkFlavorInput({ ...FLAVOR, ...change }))).toEqual({ code, path: [field] });
  });
});

describe('an image', () => {
  it('parts its secret parameters from the others', () => {
    const input: ImageInput = {
      ...IMAGE,
      osParameters: { password: 'correct horse', locale: 'C', empty: '' },
      secretParameters: ['password'],
    };
    expect(checkImageInput(input)).toEqual({
      name: 'Debian',
      plainParameters: { locale: 'C', empty: '' },
      secretParameters: { password: 'correct horse' },
    });
  });

  it.each<[rule: string, change: Partial<ImageInput>]>([
    ['an OS without a variant', { osType: 'noop' }],
    [
      'nulls',
      {
        osParameters: null,
        secretParameters: null,
        progressParameter: null,
        configUrlParameter: null,
        backendImageId: null,
        format: null,
        checksum: null,
      },
    ],
    ['what identifies it', { backendImageId: 'debian-12', format: 'diskdump', checksum: 'sha256:00' }],
    ['a parameter for progress', { progressParameter: 'progress_url' }],
  ])('%s', (_rule, change) => {
    expect(checkImageInput({ ...IMAGE, ...change })).toEqual({
      name: 'Debian',
      plainParameters: {},
      secretParameters: {},
    });
  });

  it.each<[rule: string, change: Partial<ImageInput>, path: string[]]>([
    ['an empty name', { name: '' }, ['name']],
    ['an OS type that is not ASCII', { osType: 'dëbian' }, ['osType']],
    ['an OS type with a blank', { osType: 'debian default' }, ['osType']],
    ['an OS type of two variants', { osType: 'a+b+c' }, ['osType']],
    ['an OS type without a name', { osType: '+default' }, ['osType']],
    ['a parameter that is not ASCII', { osParameters: { motd: 'Grüße' } }, ['osParameters', 'motd']],
    ['a parameter that is no string', { osParameters: { size: 1 } }, ['osParameters', 'size']],
    ['a parameter without end', { osParameters: { key: 'x'.repeat(4097) } }, ['osParameters', 'key']],
    ['the name of a parameter that is no variable’s', { osParameters: { 'a-b': '1' } }, ['osParameters', 'a-b']],
    ['the name of a parameter that is not ASCII', { osParameters: { größe: '1' } }, ['osParameters', 'größe']],
    ['an empty name of a parameter', { osParameters: { '': '1' } }, ['osParameters', '']],
    [
      'a secret that is no parameter',
      { osParameters: { a: 'long enough' }, secretParameters: ['a', 'b'] },
      ['secretParameters', '1'],
    ],
    [
      'a secret too short to be masked',
      { osParameters: { a: 'short' }, secretParameters: ['a'] },
      ['osParameters', 'a'],
    ],
    [
      'a secret that only every object has',
      { osParameters: { a: '1' }, secretParameters: ['constructor'] },
      ['secretParameters', '0'],
    ],
    ['a progress parameter that is no variable’s', { progressParameter: 'progress url' }, ['progressParameter']],
    ['an image id that is not ASCII', { backendImageId: 'ä' }, ['backendImageId']],
    ['a format that is not ASCII', { format: 'ä' }, ['format']],
    ['a checksum that is empty', { checksum: '' }, ['checksum']],
  ])('%s is refused', (_rule, change, path) => {
    expect(failure(() => checkImageInput({ ...IMAGE, ...change }))).toEqual({ code: 'INVALID_INPUT', path });
  });

  it('config URLs are not offered yet', () => {
    expect(failure(() => checkImageInput({ ...IMAGE, configUrlParameter: 'config_url' }))).toEqual({
      code: 'UNSUPPORTED',
      path: ['configUrlParameter'],
    });
  });
});
