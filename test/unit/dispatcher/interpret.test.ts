import { describe, expect, it } from 'vitest';
import { interpret, type JobContext, needsObservation } from '../../../src/dispatcher/interpret.ts';
import { type GanetiJob, parseJob } from '../../../src/ganeti/index.ts';
import type { MachineRow } from '../../../src/modules/virtual-machine/virtual-machine.rules.ts';
import { NEW, NIC, PRESENT, replay, UUID } from '../modules/virtual-machine/rows.ts';
import { namesWithJob, recordedJob, recordedReadings } from './recorded.ts';

const CONTEXT: JobContext = {
  lastLogSerial: 0,
  hasDeployerReports: false,
  observation: { kind: 'unasked' },
  mask: (text) => text,
};

/** A job as Ganeti shows it, of one opcode unless several are given. */
function job(
  status: string,
  ops: Record<string, unknown> | Record<string, unknown>[],
  rest: Record<string, unknown> = {},
): GanetiJob {
  const list = Array.isArray(ops) ? ops : [ops];
  return parseJob({
    id: 7,
    status,
    ops: list,
    opstatus: list.map(() => status),
    received_ts: [100, 1],
    end_ts: [200, 2],
    ...rest,
  });
}

/** Freezes a value through and through, so that whoever changes it is found out. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) frozen(inner);
    Object.freeze(value);
  }
  return value;
}

describe('every recorded job', () => {
  it('there are some', () => {
    expect(namesWithJob().length).toBeGreaterThan(20);
  });

  it.each(namesWithJob())('%s is read the same however often, and left as it was', (name) => {
    const recorded = frozen(recordedJob(name));
    const once = interpret(recorded, CONTEXT);
    expect(interpret(recorded, CONTEXT)).toEqual(once);
    expect(once).toMatchObject({ jobId: BigInt(recorded.id), isFinal: true });
    expect([once.machineEvent === null, once.copyEvent === null]).toEqual([
      !once.opcode.startsWith('OP_INSTANCE_'),
      !once.opcode.startsWith('OP_NETWORK_'),
    ]);
    expect(once.error === null).toBe(once.status === 'SUCCESS');
    expect(interpret(recorded, { ...CONTEXT, lastLogSerial: once.lastLogSerial }).newLines).toEqual([]);
  });

  it.each(namesWithJob())('%s shows no secret in any text', (name) => {
    const context = { ...CONTEXT, mask: () => 'MASKED' };
    const { newLines, lastMessage, error, machineEvent, copyEvent } = interpret(recordedJob(name), context);
    const texts = [
      ...newLines.map((line) => line.message),
      lastMessage,
      error?.message,
      machineEvent && 'logMessage' in machineEvent ? machineEvent.logMessage : null,
      machineEvent && 'error' in machineEvent ? machineEvent.error : null,
      copyEvent?.logMessage,
    ].filter((text) => text != null);
    expect(texts.filter((text) => text !== 'MASKED')).toEqual([]);
  });
});

describe('what recorded jobs mean', () => {
  it.each<[name: string, opcode: string, status: string, instance: string | null, error: string | null]>([
    ['04-network-add', 'OP_NETWORK_ADD', 'SUCCESS', null, null],
    ['05-network-add-again', 'OP_NETWORK_ADD', 'ERROR', null, 'already_exists'],
    ['09-create-success', 'OP_INSTANCE_CREATE', 'SUCCESS', 'snf-1', null],
    ['12-create-name-taken', 'OP_INSTANCE_CREATE', 'ERROR', 'snf-1', 'already_exists'],
    ['13-create-os-script-fails', 'OP_INSTANCE_CREATE', 'ERROR', 'snf-2', null],
    ['18-shutdown', 'OP_INSTANCE_SHUTDOWN', 'SUCCESS', 'snf-1', null],
    ['19-startup', 'OP_INSTANCE_STARTUP', 'SUCCESS', 'snf-1', null],
    ['20-reboot-soft', 'OP_INSTANCE_REBOOT', 'SUCCESS', 'snf-1', null],
    ['27-resize', 'OP_INSTANCE_SET_PARAMS', 'SUCCESS', 'snf-4', null],
    ['28-tags-add', 'OP_TAGS_SET', 'SUCCESS', null, null],
    ['33-remove-unknown-instance', 'OP_INSTANCE_REMOVE', 'ERROR', 'snf-99', 'unknown_entity'],
    ['36-depends-on-failed', 'OP_INSTANCE_STARTUP', 'ERROR', 'snf-4', null],
    ['42-remove', 'OP_INSTANCE_REMOVE', 'SUCCESS', 'snf-1', null],
  ])('%s', (name, opcode, status, instanceName, code) => {
    const read = interpret(recordedJob(name), CONTEXT);
    expect(read).toMatchObject({ opcode, status, instanceName });
    expect(read.error?.code ?? null).toBe(code);
  });

  it('times are integer microseconds of Ganeti’s clock (trap 6)', () => {
    expect(interpret(recordedJob('09-create-success'), CONTEXT)).toMatchObject({
      receivedUs: 1_796_059_922_751_608n,
      startUs: 1_796_059_922_910_891n,
      endUs: 1_796_059_924_686_359n,
      machineEvent: { endUs: 1_796_059_924_686_359n, startsMachine: true },
    });
  });

  it('a create tells whether it asked for a start (decision 5)', () => {
    expect(interpret(recordedJob('17-create-without-start'), CONTEXT).machineEvent).toMatchObject({
      startsMachine: false,
    });
  });

  it('a failed OS script tells its last lines', () => {
    const { error, lastMessage, machineEvent } = interpret(recordedJob('13-create-os-script-fails'), CONTEXT);
    expect(error?.message).toContain('asked to fail');
    expect(lastMessage).toBe(error?.message);
    expect(machineEvent).toMatchObject({ type: 'jobEnded', status: 'ERROR', error: error?.message });
  });

  it('a CONNECT tells its group', () => {
    expect(interpret(recordedJob('07-network-connect'), CONTEXT).copyEvent).toMatchObject({
      type: 'jobEnded',
      group: 'default',
    });
    expect(interpret(recordedJob('04-network-add'), CONTEXT).copyEvent).toMatchObject({ group: null });
  });

  it('an observation goes with the end that it was made for', () => {
    const read = interpret(recordedJob('09-create-success'), { ...CONTEXT, observation: PRESENT });
    expect(read.machineEvent).toMatchObject({ observation: PRESENT });
  });

  it('the uuid of the instance is told where the job knows it', () => {
    expect(interpret(recordedJob('18-shutdown'), CONTEXT).machineEvent).toMatchObject({ instanceUuid: UUID });
    expect(interpret(recordedJob('09-create-success'), CONTEXT).machineEvent).toMatchObject({ instanceUuid: null });
  });
});

describe('a recorded build, read again and again', () => {
  const readings = recordedReadings('09-create-success');

  it('ends as its machine STARTED at 100, its phases in order and its percentage never falling', () => {
    const seen: MachineRow[] = [];
    let machine = NEW;
    for (const reading of readings) {
      const observation = needsObservation(reading) ? PRESENT : CONTEXT.observation;
      const { machineEvent } = interpret(reading, { ...CONTEXT, observation });
      if (machineEvent) machine = replay(machine, [machineEvent]).machine;
      seen.push(machine);
    }
    const percentages = seen.map((row) => row.buildPercentage);
    expect(percentages).toEqual([...percentages].sort((a, b) => a - b));
    expect([...new Set(seen.map((row) => row.buildPhase))]).toEqual(['QUEUED', 'ALLOCATING', 'DISKS', 'IMAGE', 'DONE']);
    expect(machine).toMatchObject({
      operState: 'STARTED',
      buildPercentage: 100,
      ganetiUuid: UUID,
      lastJobStatus: 'SUCCESS',
    });
  });

  it('tells every line of its log once, in order', () => {
    let lastLogSerial = 0;
    const serials = readings.flatMap((reading) => {
      const read = interpret(reading, { ...CONTEXT, lastLogSerial });
      lastLogSerial = read.lastLogSerial;
      return read.newLines.map((line) => line.serial);
    });
    expect(serials).toEqual(Array.from({ length: 13 }, (_, at) => at + 1));
  });

  it('a reading that comes late takes no line back', () => {
    expect(interpret(readings[3] as GanetiJob, { ...CONTEXT, lastLogSerial: 9 })).toMatchObject({
      newLines: [],
      lastLogSerial: 9,
    });
  });

  it('stays below the deployer’s own reports where there are any', () => {
    const inImage = readings.findLast((reading) => reading.status === 'running') as GanetiJob;
    const build = (hasDeployerReports: boolean) => interpret(inImage, { ...CONTEXT, hasDeployerReports }).machineEvent;
    expect(build(false)).toMatchObject({ type: 'jobMoved', build: { phase: 'IMAGE', percentage: 40 } });
    expect(build(true)).toMatchObject({ type: 'jobMoved', build: { phase: 'IMAGE', percentage: 5 } });
  });
});

describe('masking', () => {
  const SECRET = 'correct horse';
  const mask = (text: string): string => text.replaceAll(SECRET, '***');
  const log = (message: string) => [[[1, [150, 0], 'message', message]]];

  it.each<[rule: string, job: GanetiJob]>([
    ['a log line', job('running', { OP_ID: 'OP_INSTANCE_CREATE' }, { oplog: log(`* disk 0, password ${SECRET}`) })],
    [
      'the last log line of an end',
      job('success', { OP_ID: 'OP_INSTANCE_CREATE' }, { oplog: log(`* starting instance ${SECRET}`) }),
    ],
    [
      'an error',
      job('error', { OP_ID: 'OP_INSTANCE_CREATE' }, { opresult: [['OpExecError', [`script said ${SECRET}`]]] }),
    ],
    [
      'an error of a network',
      job('error', { OP_ID: 'OP_NETWORK_ADD' }, { opresult: [['OpExecError', [`said ${SECRET}`]]] }),
    ],
    [
      'what a canceled job said',
      job('canceled', { OP_ID: 'OP_INSTANCE_CREATE' }, { opresult: [`canceled ${SECRET}`] }),
    ],
    ['the parameters of a create', job('success', { OP_ID: 'OP_INSTANCE_CREATE', osparams: { password: SECRET } })],
  ])('%s', (_rule, secretive) => {
    const read = interpret(secretive, { ...CONTEXT, mask });
    const text = JSON.stringify(read, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    expect(text).not.toContain(SECRET);
    const plain = JSON.stringify(interpret(secretive, CONTEXT), (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(plain.includes(SECRET)).toBe(!('osparams' in (secretive.ops?.[0] ?? {})));
  });
});

describe('ends without a usual end', () => {
  it('a job that left the queue ends when it says, and has an error of our own words', () => {
    const read = interpret(
      job('canceled', { OP_ID: 'OP_INSTANCE_CREATE' }, { opresult: [null], start_ts: null }),
      CONTEXT,
    );
    expect(read.error).toEqual({ code: null, message: 'The job was canceled.' });
    expect(read.machineEvent).toMatchObject({ status: 'CANCELED', endUs: 200_000_002n, error: null });
  });

  it('one without an end of its own is dated by its arrival', () => {
    const { machineEvent } = interpret(job('canceled', { OP_ID: 'OP_INSTANCE_CREATE' }, { end_ts: null }), CONTEXT);
    expect(machineEvent).toMatchObject({ endUs: 100_000_001n });
  });

  it('one without opcodes is shown and means nothing', () => {
    const read = interpret(parseJob({ id: 9, status: 'success', ops: null }), CONTEXT);
    expect(read).toMatchObject({ opcode: 'OP_UNKNOWN', machineEvent: null, copyEvent: null, instanceName: null });
  });

  it('trap 8: an unknown opcode is no error; an unknown status is', () => {
    expect(interpret(job('success', { OP_ID: 'OP_SOMETHING_NEW' }), CONTEXT)).toMatchObject({
      status: 'SUCCESS',
      machineEvent: null,
    });
    expect(() => job('paused', { OP_ID: 'OP_INSTANCE_CREATE' })).toThrow('unknown job status "paused"');
  });
});

describe('a rehearsal (decision 14)', () => {
  it.each(['OP_INSTANCE_CREATE', 'OP_INSTANCE_SHUTDOWN', 'OP_INSTANCE_REMOVE'])(
    '%s changes nothing, though it succeeds',
    (OP_ID) => {
      const read = interpret(job('success', { OP_ID, instance_name: 'snf-1', dry_run: true }), CONTEXT);
      expect(read).toMatchObject({ isFinal: true, status: 'SUCCESS' });
      const { machine } = replay(
        { ...NEW, operState: 'STARTED', buildPhase: 'DONE' },
        read.machineEvent ? [read.machineEvent] : [],
      );
      expect(machine).toMatchObject({
        operState: 'STARTED',
        markEndUs: 0n,
        lastJobOpcode: OP_ID,
        lastJobStatus: 'SUCCESS',
      });
    },
  );

  it('of a network connects nothing', () => {
    const read = interpret(
      job('success', { OP_ID: 'OP_NETWORK_CONNECT', group_name: 'default', dry_run: true }),
      CONTEXT,
    );
    expect(read.copyEvent).toMatchObject({ type: 'jobMoved', status: 'SUCCESS' });
  });

  it('asks for no look at its instance', () => {
    expect(needsObservation(job('success', { OP_ID: 'OP_INSTANCE_CREATE', dry_run: true }))).toBe(false);
    expect(needsObservation(job('success', { OP_ID: 'OP_INSTANCE_CREATE', dry_run: false }))).toBe(true);
  });
});

describe('a job of several opcodes', () => {
  const op = (name: string) => ({ OP_ID: `OP_INSTANCE_${name}`, instance_name: 'snf-1' });

  it.each<[rule: string, ops: string[], opcode: string]>([
    ['a reinstall leaves the machine started', ['SHUTDOWN', 'REINSTALL', 'STARTUP'], 'OP_INSTANCE_STARTUP'],
    ['a reinstall without a start leaves it stopped', ['SHUTDOWN', 'REINSTALL'], 'OP_INSTANCE_SHUTDOWN'],
    ['of those that set no state the first is shown', ['SET_PARAMS', 'MIGRATE'], 'OP_INSTANCE_SET_PARAMS'],
  ])('%s', (_rule, ops, opcode) => {
    expect(interpret(job('success', ops.map(op)), CONTEXT)).toMatchObject({
      opcode,
      machineEvent: { opcode, status: 'SUCCESS' },
    });
  });

  it.each(['running', 'error'])('that is %s has set no state for certain', (status) => {
    const read = interpret(job(status, ['SHUTDOWN', 'REINSTALL', 'STARTUP'].map(op)), CONTEXT);
    expect(read.opcode).toBe('OP_INSTANCE_SHUTDOWN');
    expect(
      replay({ ...NEW, operState: 'STARTED' }, read.machineEvent ? [read.machineEvent] : [], [NIC]).machine.operState,
    ).toBe('STARTED');
  });
});

describe('which ends need a look at the instance', () => {
  it.each<[opcode: string, status: string, needs: boolean]>([
    ['OP_INSTANCE_CREATE', 'success', true],
    ['OP_INSTANCE_CREATE', 'error', false],
    ['OP_INSTANCE_CREATE', 'running', false],
    ['OP_INSTANCE_REMOVE', 'error', true],
    ['OP_INSTANCE_REMOVE', 'success', false],
    ['OP_INSTANCE_REMOVE', 'canceled', false],
    ['OP_INSTANCE_SHUTDOWN', 'success', false],
    ['OP_NETWORK_ADD', 'error', false],
  ])('%s %s: %s', (OP_ID, status, needs) => {
    expect(needsObservation(job(status, { OP_ID }))).toBe(needs);
  });

  it('none without an opcode', () => {
    expect(needsObservation(parseJob({ id: 9, status: 'success', ops: null }))).toBe(false);
  });
});
