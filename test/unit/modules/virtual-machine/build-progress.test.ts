import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BUILD_PHASES,
  type BuildPhase,
  isLaterPhase,
  readBuildLog,
  readPercentage,
} from '../../../../src/modules/virtual-machine/build-progress.rules.ts';
import { recordedJob } from '../../dispatcher/recorded.ts';

const LOG = recordedJob('09-create-success')
  .opLog.flat()
  .map((line) => line.message);

describe('the log of a recorded build', () => {
  it.each<[message: string, phase: BuildPhase, guessed: number, reported: number]>([
    [' - INFO: Selected nodes for instance snf-1 via iallocator hail-single: node1.lab.test', 'ALLOCATING', 5, 1],
    [" - INFO: NIC/0 inherits netparams ['br0', 'bridged', '']", 'ALLOCATING', 5, 1],
    [' - INFO: Chose IP 10.0.0.2 from network snf-net-1', 'ALLOCATING', 5, 1],
    ['* disk 0, size 1.0G', 'DISKS', 10, 2],
    ['* creating instance disks...', 'DISKS', 10, 2],
    // Says an earlier phase than the one that the build is in.
    ['adding instance snf-1 to cluster config', 'DISKS', 10, 2],
    ['adding disks to cluster config', 'DISKS', 10, 2],
    [' - INFO: Waiting for instance snf-1 to sync disks', 'DISKS', 10, 2],
    [" - INFO: Instance snf-1's disks are in sync", 'DISKS', 10, 2],
    [' - INFO: Waiting for instance snf-1 to sync disks', 'DISKS', 10, 2],
    [" - INFO: Instance snf-1's disks are in sync", 'DISKS', 10, 2],
    ['* running the instance OS create scripts...', 'IMAGE', 40, 5],
    ['* starting instance...', 'BOOTING', 95, 95],
  ])('up to %j', (message, phase, guessed, reported) => {
    const seen = LOG.slice(0, LOG.lastIndexOf(message) + 1);
    expect(seen.at(-1)).toBe(message);
    expect(readBuildLog(seen, false)).toMatchObject({ phase, percentage: guessed });
    expect(readBuildLog(seen, true)).toMatchObject({ phase, percentage: reported });
  });

  it('tells nothing before its first line', () => {
    expect(readBuildLog([], false)).toBeNull();
  });

  it('its messages come without the log’s own marks', () => {
    expect(LOG.map((message) => readBuildLog([message], false)?.message)).toEqual([
      'Selected nodes for instance snf-1 via iallocator hail-single: node1.lab.test',
      "NIC/0 inherits netparams ['br0', 'bridged', '']",
      'Chose IP 10.0.0.2 from network snf-net-1',
      'disk 0, size 1.0G',
      'creating instance disks...',
      'adding instance snf-1 to cluster config',
      'adding disks to cluster config',
      'Waiting for instance snf-1 to sync disks',
      "Instance snf-1's disks are in sync",
      'Waiting for instance snf-1 to sync disks',
      "Instance snf-1's disks are in sync",
      'running the instance OS create scripts...',
      'starting instance...',
    ]);
  });
});

describe('percentages in a log', () => {
  const DISKS = ['* creating instance disks...'];

  it.each<[line: string, percentage: number]>([
    [' - INFO:  - done: 10.0% ETA: 1s', 13],
    [' - INFO:  - done: 100.0% ETA: 0s', 40],
    [' - INFO: - device disk/0: 42.50% done, 1m 3s remaining (estimated)', 22],
    [' - INFO: - device disk/1:  0.00% done, no time estimate', 10],
    [' - INFO: instance disk0 sent 1.2G, 103.2 MiB/s, 42%, ETA 3s', 22],
    ['* memory transfer progress: 50.00 %', 25],
    [' - progress: 33.3%', 19],
    // More than everything is everything.
    [' - progress: 137%', 40],
  ])('%j', (line, percentage) => {
    expect(readBuildLog([...DISKS, line], false)).toMatchObject({ phase: 'DISKS', percentage });
  });

  it.each([
    ' - WARNING: node node1 has 95% of its memory in use',
    '* disk 0, size 1.0G, 50% preallocated',
    'INFO: instance disk sent 1.2G, 103.2 MiB/s',
    ' - INFO: Chose IP 10.0.0.50 from network snf-net-50%',
    '100%',
    'done: 30%',
  ])('%j bears a number that is no progress', (line) => {
    expect(readBuildLog([...DISKS, line], false)?.percentage).toBe(10);
  });

  it('stay within the phase’s band, and below a deployer’s first reports where there are any', () => {
    const wiping = ['* wiping instance disks...', ' - INFO:  - done: 50.0% ETA: 9s'];
    expect(readBuildLog(wiping, false)?.percentage).toBe(25);
    expect(readBuildLog(wiping, true)?.percentage).toBe(3);
    const image = ['* running the instance OS create scripts...', ' - progress: 50.0%'];
    expect(readBuildLog(image, false)?.percentage).toBe(65);
    expect(readBuildLog(image, true)?.percentage).toBe(5);
  });

  it('never fall: the second disk’s 0 % does not take the first one’s 100 % back', () => {
    const lines = [...DISKS, ' - INFO: - device disk/0: 99.00% done', ' - INFO: - device disk/1: 1.00% done'];
    expect(readBuildLog(lines, false)?.percentage).toBe(39);
  });

  it('a diskless build goes from its node straight to the start', () => {
    expect(readBuildLog([LOG[0] as string, '* starting instance...'], false)).toMatchObject({
      phase: 'BOOTING',
      percentage: 95,
    });
  });
});

describe('any log', () => {
  const line = fc.oneof(
    fc.constantFrom(...LOG, '* wiping instance disks...'),
    fc.nat(150).map((at) => ` - progress: ${at}%`),
    fc.string(),
  );

  it('read further never says less, and never the end', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.boolean(), (lines, hasReports) => {
        let before = readBuildLog([], hasReports);
        for (let length = 1; length <= lines.length; length += 1) {
          const report = readBuildLog(lines.slice(0, length), hasReports);
          if (before !== null) {
            expect(report?.percentage).toBeGreaterThanOrEqual(before.percentage as number);
            expect(isLaterPhase(before.phase, report?.phase as BuildPhase)).toBe(false);
          }
          expect(report?.percentage ?? 0).toBeLessThan(100);
          expect(report?.phase).not.toBe('DONE');
          before = report;
        }
      }),
    );
  });
});

describe('the order of phases', () => {
  it('is the order of a build', () => {
    expect(BUILD_PHASES).toEqual(['QUEUED', 'ALLOCATING', 'DISKS', 'IMAGE', 'BOOTING', 'DONE']);
    expect(isLaterPhase('IMAGE', 'DISKS')).toBe(true);
    expect(isLaterPhase('IMAGE', 'IMAGE')).toBe(false);
    expect(isLaterPhase('DISKS', 'IMAGE')).toBe(false);
  });
});

describe('trap 5: the number of a report', () => {
  it.each<[value: unknown, read: number | null]>([
    [0, 0],
    [37, 37],
    [37.9, 37],
    [99.999, 99],
    [100, 100],
    [137, 100],
    [1e300, 100],
    [-1, null],
    [-0.5, null],
    ['a', null],
    ['37', null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    [null, null],
    [undefined, null],
    [true, null],
    [[37], null],
    [{}, null],
  ])('%o is %o', (value, read) => {
    expect(readPercentage(value)).toBe(read);
  });
});
