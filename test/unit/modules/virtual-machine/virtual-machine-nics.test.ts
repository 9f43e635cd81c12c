import { describe, expect, it } from 'vitest';
import { matchNics, type ReportedNic } from '../../../../src/modules/virtual-machine/virtual-machine-nics.rules.ts';
import { NIC } from './rows.ts';

const seen = (name: string | null, index: number): ReportedNic => ({
  name,
  uuid: `uuid of ${name}`,
  mac: `aa:00:01:00:00:0${index}`,
  index,
});
const SECOND = { ...NIC, id: 2, name: 'snf-nic-2', index: 1 };

describe('NICs and what the cluster shows of them', () => {
  it('are matched by name, never by index (trap 22)', () => {
    const matched = matchNics([NIC, SECOND], [seen('snf-nic-2', 0), seen('snf-nic-1', 1)]);
    expect(matched).toMatchObject([
      { id: 1, index: 1, mac: 'aa:00:01:00:00:01', ganetiUuid: 'uuid of snf-nic-1' },
      { id: 2, index: 0, mac: 'aa:00:01:00:00:00', ganetiUuid: 'uuid of snf-nic-2' },
    ]);
  });

  it.each<[rule: string, reported: ReportedNic[]]>([
    ['one without a name', [seen(null, 0)]],
    ['one of a foreign name', [seen('eth0', 0)]],
    ['one of a machine that is not this one', [seen('snf-nic-99', 0)]],
    ['none', []],
  ])('trap 24: the cluster shows %s: nothing is invented, nothing taken away', (_rule, reported) => {
    expect(matchNics([NIC, SECOND], reported)).toEqual([NIC, SECOND]);
  });

  it('the others are processed beside a foreign one', () => {
    expect(matchNics([NIC], [seen('eth0', 0), seen('snf-nic-1', 1)])).toMatchObject([
      { index: 1, ganetiUuid: 'uuid of snf-nic-1' },
    ]);
  });

  it('one that is deleted stays as it was', () => {
    const gone = { ...NIC, isDeleted: true };
    expect(matchNics([gone], [seen('snf-nic-1', 3)])).toEqual([gone]);
  });

  it('get the IPv6 address that follows from their MAC, where their network has a range', () => {
    const [nic] = matchNics([{ ...NIC, subnet6: '2001:db8::/64' }], [seen('snf-nic-1', 0)]);
    expect(nic?.ipv6).toBe('2001:db8::a800:1ff:fe00:0');
    expect(matchNics([NIC], [seen('snf-nic-1', 0)])[0]?.ipv6).toBeNull();
  });

  it('are told again without any difference', () => {
    const once = matchNics([NIC, SECOND], [seen('snf-nic-1', 0)]);
    expect(matchNics(once, [seen('snf-nic-1', 0)])).toEqual(once);
  });
});
