import { describe, expect, it } from 'vitest';
import type { GanetiInfo, GanetiInstance, GanetiNode } from '../../../../src/ganeti/index.ts';
import { highestOwnId, summarize } from '../../../../src/modules/backend/observation.rules.ts';

const INFO = { softwareVersion: '3.0.2', enabledDiskTemplates: ['plain', 'file'] } as unknown as GanetiInfo;
const NODE = {
  name: 'node1',
  offline: false,
  drained: false,
  vmCapable: true,
  memoryTotalMiB: 1000,
  memoryFreeMiB: 400,
  diskTotalMiB: 9000,
  diskFreeMiB: 8000,
  cpuTotal: 4,
} as unknown as GanetiNode;
const UNKNOWN = { memoryTotalMiB: null, memoryFreeMiB: null, diskTotalMiB: null, diskFreeMiB: null, cpuTotal: null };
const sum = (nodes: readonly GanetiNode[], instances: readonly Partial<GanetiInstance>[] = []) =>
  summarize(INFO, [{ name: 'rack2' }, { name: 'default' }], nodes, instances as GanetiInstance[]);

describe('what a cluster has', () => {
  it('is the sum over its nodes and instances; lists are in order, so that equal ones are equal', () => {
    expect(sum([NODE, NODE], [{ memoryMiB: 256 }, { memoryMiB: 512 }])).toEqual({
      softwareVersion: '3.0.2',
      diskTemplates: ['file', 'plain'],
      nodeGroups: ['default', 'rack2'],
      memoryTotalMiB: 2000,
      memoryFreeMiB: 800,
      diskTotalMiB: 18_000,
      diskFreeMiB: 16_000,
      cpuTotal: 8,
      instanceMemoryMiB: 768,
      instanceCount: 2,
    });
  });

  it.each<[rule: string, node: Partial<GanetiNode>]>([
    ['offline', { offline: true }],
    ['drained', { drained: true }],
    ['not capable of machines', { vmCapable: false }],
  ])('a node that is %s does not count', (_rule, node) => {
    expect(sum([NODE, { ...NODE, ...node }]).memoryTotalMiB).toBe(1000);
  });

  it('a number that a node does not know counts as nothing', () => {
    expect(sum([NODE, { ...NODE, ...UNKNOWN }])).toMatchObject({ memoryFreeMiB: 400, cpuTotal: 4 });
  });

  it('a number that no node knows is unknown, not zero', () => {
    expect(sum([{ ...NODE, ...UNKNOWN }])).toMatchObject(UNKNOWN);
  });

  it('a cluster without a node that counts has nothing', () => {
    expect(sum([{ ...NODE, offline: true }])).toMatchObject({ memoryFreeMiB: 0, diskFreeMiB: 0, cpuTotal: 0 });
  });

  it('an empty cluster has no instances and uses no memory', () => {
    expect(sum([NODE])).toMatchObject({ instanceCount: 0, instanceMemoryMiB: 0 });
  });
});

describe('ids that a used cluster bears already (decision 6)', () => {
  it.each<[names: (string | null)[], prefix: string, highest: number]>([
    [['snf-1', 'snf-12', 'snf-3'], 'snf-', 12],
    [[], 'snf-', 0],
    [['web.example.org', 'snf-', 'snf-x', 'snf-1x', 'snf-1.example.org', null], 'snf-', 0],
    [['snf-net-7', 'snf-nic-9', 'snf-2'], 'snf-', 2],
    [['snf-net-7', 'snf-nic-9', 'snf-2'], 'snf-net-', 7],
    [['other-9', 'SNF-9', 'xsnf-9'], 'snf-', 0],
    [['snf-007'], 'snf-', 7],
    // Beyond any id of ours: a sequence of int4 could not be moved there.
    [['snf-99999999999', 'snf-5'], 'snf-', 5],
    [['a.b-4', 'aXb-9'], 'a.b-', 4],
  ])('%j with prefix %s: %i', (names, prefix, highest) => {
    expect(highestOwnId(names, prefix)).toBe(highest);
  });
});
