import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { eui64 } from '../../../../src/modules/network/eui64.rules.ts';

describe('the IPv6 address that follows from a MAC', () => {
  it.each<[subnet6: string, mac: string, address: string]>([
    // RFC 4291, appendix A: 34-56-78-9A-BC-DE, with the universal/local bit turned over.
    ['fe80::/64', '34:56:78:9a:bc:de', 'fe80::3656:78ff:fe9a:bcde'],
    // RFC 2464, section 4: the Ethernet address 34-56-78-9A-BC-DE has the identifier 36-56-78-FF-FE-9A-BC-DE.
    ['2001:db8:1:2::/64', '34:56:78:9A:BC:DE', '2001:db8:1:2:3656:78ff:fe9a:bcde'],
    // A locally administered one, as Ganeti draws them: the bit goes out.
    ['2001:db8::/64', 'aa:00:01:4e:81:bb', '2001:db8::a800:1ff:fe4e:81bb'],
    ['2001:db8::/64', '00:00:00:00:00:00', '2001:db8::200:ff:fe00:0'],
    ['2001:db8::/64', 'ff:ff:ff:ff:ff:ff', '2001:db8::fdff:ffff:feff:ffff'],
  ])('in %s, %s is %s', (subnet6, mac, address) => {
    expect(eui64(subnet6, mac)).toBe(address);
  });

  it('lies in its range and differs for every MAC', () => {
    const mac = fc
      .array(fc.nat(255), { minLength: 6, maxLength: 6 })
      .map((octets) => octets.map((octet) => octet.toString(16).padStart(2, '0')).join(':'));
    fc.assert(
      fc.property(mac, mac, (a, b) => {
        const range = ipaddr.IPv6.parseCIDR('2001:db8:0:7::/64');
        expect(ipaddr.IPv6.parse(eui64('2001:db8:0:7::/64', a)).match(range)).toBe(true);
        expect(eui64('2001:db8:0:7::/64', a) === eui64('2001:db8:0:7::/64', b)).toBe(a === b);
      }),
    );
  });

  it.each([[''], ['aa:00:01'], ['aa:00:01:4e:81:bb:cc'], ['aa:00:01:4e:81:zz'], ['aa:00:01:4e:81:1ff']])(
    'there is none for %j',
    (mac) => {
      expect(() => eui64('2001:db8::/64', mac)).toThrow(RangeError);
    },
  );
});
