import { beforeAll, describe, expect, it } from 'vitest';
import {
  ANY_FINAL_STATUS,
  createNetwork,
  deleteInstance,
  jobError,
  jobReason,
  shutdownInstance,
  startupInstance,
} from '../../src/ganeti/index.ts';
import type { Bench } from './bench.ts';

const UNKNOWN_JOB = 987_654_321;

/** The life of a job: reason, times, dependencies, cancellation. */
export function describeJobs(bench: () => Bench): void {
  describe('jobs', () => {
    it('keep the reason first in their trail, and their times in order', async () => {
      const { client, name } = { client: bench().client, name: bench().name('net') };
      const before = await client.lastJobId();
      const request = createNetwork({ name, network: '10.213.8.0/28', conflictsCheck: false, tags: ['one', 'two'] });
      const reason = 'op:00000000-0000-4000-8000-000000000001.0 with "quotes" & <signs>';
      const id = await client.submit(request, { reason });
      expect(id).toBeGreaterThan(before);
      const job = await bench().finished(id);
      expect(job).toMatchObject({ id, status: 'success', summary: [`NETWORK_ADD(${name})`], opStatus: ['success'] });
      expect(jobReason(job)).toBe(reason);
      expect(job.ops?.[0]).toMatchObject({
        OP_ID: request.opcode,
        network_name: name,
        tags: ['one', 'two'],
        reason: [
          ['gnt:user', reason, expect.any(Number)],
          ['gnt:library:rlib2:networks', '', expect.any(Number)],
          ['gnt:opcode:network_add', `job=${id};index=0`, expect.any(Number)],
        ],
      });
      const { receivedUs, startUs, endUs } = job;
      if (receivedUs === null || startUs === null || endUs === null) throw new Error('a time is missing');
      expect(receivedUs <= startUs && startUs <= endUs).toBe(true);
      expect(await client.lastJobId()).toBeGreaterThanOrEqual(id);
    });

    it('read the same alone and in a query', async () => {
      const { client } = bench();
      const { id } = await bench().run(deleteInstance(bench().name('none')));
      const { jobs, malformed } = await client.queryJobs({ ids: [id, UNKNOWN_JOB] });
      expect(malformed).toEqual([]);
      expect(jobs).toEqual([await client.getJob(id)]);
      expect((await client.queryJobs({ afterId: id - 1 })).jobs.map((job) => job.id)).toContain(id);
      expect(await client.queryJobs({ afterId: id + 1_000_000 })).toEqual({ jobs: [], malformed: [] });
    });

    it('are null when nobody knows them', async () => {
      const { client, raw } = bench();
      expect(await client.getJob(UNKNOWN_JOB)).toBeNull();
      expect(await raw.send('GET', `/2/jobs/${UNKNOWN_JOB}`)).toMatchObject({
        status: 200,
        json: { id: UNKNOWN_JOB, status: null, ops: null, opresult: null },
      });
    });

    it('answer a long-poll at once when they are final', async () => {
      const { raw } = bench();
      const { id } = await bench().run(deleteInstance(bench().name('none')));
      const wait = { fields: ['status'], previous_job_info: ['error'], previous_log_serial: null };
      expect(await raw.sendJson('GET', `/2/jobs/${id}/wait`, wait)).toMatchObject({
        status: 200,
        json: { job_info: ['error'], log_entries: [] },
      });
    });

    it('do not submit from a rehearsal', async () => {
      const { client, raw } = bench();
      const name = bench().name('net');
      const reply = await raw.sendJson('POST', '/2/networks?dry-run=1', {
        network_name: name,
        network: '10.213.9.0/28',
      });
      const job = await bench().finished(Number(reply.json));
      expect(job.ops?.[0]).toMatchObject({ dry_run: true });
      expect(await client.getNetwork(name)).toBeNull();
    });
  });

  describe('dependencies', () => {
    let failed: number;
    beforeAll(async () => {
      const job = await bench().run(deleteInstance(bench().name('none')));
      expect(job.status).toBe('error');
      failed = job.id;
    });

    it('fail a job whose parent ended in another status', async () => {
      const job = await bench().run(startupInstance(bench().name('none')), [[failed, ['success']]]);
      expect(job.status).toBe('error');
      expect(jobError(job)).toEqual({
        message: `Dependency job ${failed} finished with status 'error', not one of 'success' as required`,
        code: null,
      });
      expect(job.ops?.[0]).toMatchObject({ depends: [[failed, ['success']]] });
    });

    it('let a job run that takes any end of its parent', async () => {
      const job = await bench().run(startupInstance(bench().name('none')), [[failed, ANY_FINAL_STATUS]]);
      expect(jobError(job)).toMatchObject({ code: 'unknown_entity' });
    });

    it('fail a job whose parent is unknown', async () => {
      const job = await bench().run(startupInstance(bench().name('none')), [[UNKNOWN_JOB, ['success']]]);
      expect(job.status).toBe('error');
      expect(jobError(job)?.message).toBe(`Dependency error: Job ${UNKNOWN_JOB} not found`);
    });

    it('are refused with a status that does not exist', async () => {
      const reply = await bench().raw.sendJson('PUT', '/2/instances/none/startup', { depends: [[failed, ['done']]] });
      expect(reply).toMatchObject({
        status: 400,
        json: {
          message:
            'Invalid body parameters: (&quot;Parameter &#x27;OP_INSTANCE_STARTUP.depends&#x27; fails validation&quot;, &#x27;wrong_input&#x27;)',
        },
      });
    });
  });

  describe('cancellation', () => {
    it('takes a queued job out, tells a running one, and does not find a finished one', async () => {
      const { client } = bench();
      const network = await bench().connectedNetwork();
      const name = bench().name('slow');
      const parent = await bench().submit(
        bench().instance(name, network, { osParameters: { progress_step_seconds: '0.3' } }),
      );
      const child = await bench().submit(shutdownInstance(name), [[parent, ANY_FINAL_STATUS]]);
      await bench().until(parent, (job) => job.status === 'running');
      expect(await client.getJob(child)).toMatchObject({ status: 'queued', startUs: null });

      expect(await client.cancelJob(child)).toEqual({ canceled: true, message: `Dequeued job ${child}` });
      const canceled = await client.getJob(child);
      expect(canceled).toMatchObject({ status: 'canceled', opStatus: ['canceled'], opResult: [null], startUs: null });
      if (canceled !== null) expect(jobError(canceled)).toBeNull();

      expect(await client.cancelJob(parent)).toEqual({
        canceled: false,
        message: "Job no longer waiting, can't cancel (informed it anyway)",
      });
      expect(await bench().finished(parent)).toMatchObject({ status: 'success' });
      const notFound = (id: number) => ({ canceled: false, message: `Job ${id} not found in queue` });
      expect(await client.cancelJob(parent)).toEqual(notFound(parent));
      expect(await client.cancelJob(UNKNOWN_JOB)).toEqual(notFound(UNKNOWN_JOB));
    });
  });
}
