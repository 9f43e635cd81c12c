import { describe, expect, it } from 'vitest';
import { AddressPool, addressNumber, addressText, parseCidr } from '../../../src/simulator/address-pool.ts';

describe('an address pool', () => {
  it('keeps its edges and its gateway', () => {
    const pool = new AddressPool('10.0.0.0/29', '10.0.0.1');
    expect(pool.map()).toBe('XX.....X');
    expect(pool.external()).toEqual(['10.0.0.0', '10.0.0.1', '10.0.0.7']);
    expect([pool.size, pool.reservedCount()]).toEqual([8, 3]);
  });

  it('gives out the lowest free address until it is empty', () => {
    const pool = new AddressPool('10.0.0.0/30', null);
    expect([pool.takeLowest(), pool.takeLowest(), pool.takeLowest()]).toEqual(['10.0.0.1', '10.0.0.2', null]);
    pool.releaseFromNic('10.0.0.1');
    expect(pool.takeLowest()).toBe('10.0.0.1');
  });

  it('takes an address once, and only its own', () => {
    const pool = new AddressPool('10.0.0.0/29', null);
    expect(pool.reserveForNic('10.0.0.5')).toBe(true);
    expect(pool.reserveForNic('10.0.0.5')).toBe(false);
    expect(pool.reserveForNic('10.0.1.5')).toBe(false);
    // An address in both maps counts once, and stays taken until both let go.
    pool.reserveExternal('10.0.0.5');
    expect(pool.reservedCount()).toBe(3);
    pool.releaseFromNic('10.0.0.5');
    expect(pool.isFree('10.0.0.5')).toBe(false);
    pool.releaseExternal('10.0.0.5');
    expect(pool.isFree('10.0.0.5')).toBe(true);
  });

  it.each([
    [
      'reserved twice',
      (pool: AddressPool) => pool.reserveExternal('10.0.0.1'),
      'IP 10.0.0.1 is already externally reserved',
    ],
    [
      'released untaken',
      (pool: AddressPool) => pool.releaseExternal('10.0.0.3'),
      'IP 10.0.0.3 is not externally reserved',
    ],
    ['outside', (pool: AddressPool) => pool.reserveExternal('10.0.1.1'), '10.0.0.0/29 does not contain 10.0.1.1'],
  ])('complains of an address %s', (_what, act, message) => {
    expect(() => act(new AddressPool('10.0.0.0/29', '10.0.0.1'))).toThrow(message);
  });

  it.each(['10.0.0.0/15', '10.0.0.0/31', 'nonsense'])('is not made of %s', (cidr) => {
    expect(() => new AddressPool(cidr, null)).toThrow();
  });
});

it('an address is a number and back', () => {
  expect(addressNumber('255.255.255.255')).toBe(4_294_967_295);
  expect(addressText(4_294_967_295)).toBe('255.255.255.255');
  for (const wrong of ['1.2.3', '1.2.3.256', '1.2.3.x', '']) expect(addressNumber(wrong)).toBeNull();
  expect(parseCidr('10.0.0.5/28')).toMatchObject({ base: addressNumber('10.0.0.0'), size: 16 });
  expect(parseCidr('10.0.0.0/33')).toBeNull();
});
