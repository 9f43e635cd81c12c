import { beforeAll, describe, expect, it } from 'vitest';
import {
  asDryRun,
  deleteInstance,
  disconnectNetwork,
  jobError,
  rebootInstance,
  shutdownInstance,
  startupInstance,
} from '../../src/ganeti/index.ts';
import type { Bench } from './bench.ts';

/** Instances that are there: their power, names, tags and removal; and those that are not. */
export function describeInstances(bench: () => Bench): void {
  let network: string;
  beforeAll(async () => {
    network = await bench().connectedNetwork();
  });

  describe('power', () => {
    let name: string;
    let uuid: string;
    const status = async () => (await bench().client.getInstance(name))?.status;
    beforeAll(async () => {
      // A short name could be expanded to this one.
      name = `${bench().name('power')}.example.test`;
      await bench().run(bench().instance(name, network, { osParameters: { progress_step_seconds: '0' } }));
      uuid = (await bench().client.getInstance(name))?.uuid ?? '';
    });

    it('goes off and on, and asking twice succeeds', async () => {
      for (let time = 0; time < 2; time += 1) {
        expect(await bench().run(shutdownInstance(name, { timeoutS: 0 }))).toMatchObject({
          status: 'success',
          summary: [`INSTANCE_SHUTDOWN(${name})`],
          opResult: [null],
        });
        expect(await status()).toBe('ADMIN_down');
      }
      expect(await bench().client.getConsole(name)).toBeNull();
      for (let time = 0; time < 2; time += 1) {
        const job = await bench().run(startupInstance(name));
        expect(job).toMatchObject({ status: 'success', summary: [`INSTANCE_STARTUP(${name})`], opResult: [null] });
        expect(job.ops?.[0]).toMatchObject({ instance_name: name, instance_uuid: uuid });
        expect(await status()).toBe('running');
      }
      expect(await bench().client.getConsole(name)).toMatchObject({ instance: name, kind: expect.any(String) });
    });

    it('is cycled softly and hard, and a reboot starts what is stopped', async () => {
      for (const type of ['soft', 'hard'] as const) {
        const job = await bench().run(rebootInstance(name, type));
        expect(job).toMatchObject({ status: 'success', summary: [`INSTANCE_REBOOT(${name})`] });
        expect(job.ops?.[0]).toMatchObject({ reboot_type: type });
      }
      await bench().run(shutdownInstance(name, { timeoutS: 0 }));
      expect(await bench().run(rebootInstance(name, 'hard'))).toMatchObject({ status: 'success' });
      expect(await status()).toBe('running');
      expect(await bench().raw.send('POST', `/2/instances/${name}/reboot?type=warm`)).toMatchObject({ status: 400 });
    });

    it('is found under a short name by Ganeti, and not by the client', async () => {
      const { client, raw } = bench();
      const short = name.replace('.example.test', '');
      expect(await raw.send('GET', `/2/instances/${short}`)).toMatchObject({ status: 200, json: { name } });
      expect(await raw.send('GET', `/2/instances/${uuid}`)).toMatchObject({ status: 200, json: { name } });
      expect(await raw.send('GET', `/2/instances/${short.slice(0, -1)}`)).toMatchObject({ status: 404 });
      expect(await client.getInstance(short)).toBeNull();
      const job = await bench().run(asDryRun(deleteInstance(short)));
      expect(job).toMatchObject({ status: 'success' });
      expect(job.ops?.[0]).toMatchObject({ instance_name: name, instance_uuid: uuid });
      expect(jobError(await bench().run(startupInstance(uuid)))).toMatchObject({ code: 'unknown_entity' });
    });

    it('keeps its network connected', async () => {
      const job = await bench().run(disconnectNetwork({ network, group: 'default' }));
      expect(jobError(job)).toEqual({
        message: 'Conflicting IP addresses found;  remove/modify the corresponding network interfaces',
        code: 'wrong_state',
      });
      expect(job.opLog[0]?.[0]?.message).toMatch(
        ` - WARNING: IP addresses from network '${network}', which is about to disconnect from node group 'default', are in use: `,
      );
      expect(job.opLog[0]?.[0]?.message).toContain(`${name}: nic0/10.213.7.`);
    });

    it('ends with the removal, which gives the address back', async () => {
      const { client } = bench();
      const before = (await client.getNetwork(network))?.freeCount ?? 0;
      expect(await bench().run(deleteInstance(name, { shutdownTimeoutS: 0 }))).toMatchObject({
        status: 'success',
        summary: [`INSTANCE_REMOVE(${name})`],
        opResult: [null],
      });
      expect(await client.getInstance(name)).toBeNull();
      expect((await client.getNetwork(network))?.freeCount).toBe(before + 1);
    });
  });

  describe('an unknown instance', () => {
    it('is a 404 to read, and a failed job to write', async () => {
      const name = bench().name('none');
      expect(await bench().raw.send('GET', `/2/instances/${name}`)).toMatchObject({ status: 404 });
      expect(await bench().client.getInstance(name)).toBeNull();
      const requests = [
        deleteInstance(name),
        startupInstance(name),
        shutdownInstance(name),
        rebootInstance(name, 'soft'),
      ];
      const ids = await Promise.all(requests.map((request) => bench().submit(request)));
      for (const id of ids) {
        const job = await bench().finished(id);
        expect(job.status).toBe('error');
        expect(jobError(job)).toEqual({ message: `Instance '${name}' not known`, code: 'unknown_entity' });
      }
      expect(await bench().raw.send('GET', `/2/instances/${name}/console`)).toMatchObject({
        status: 500,
        json: { message: 'list index out of range' },
      });
    });
  });

  describe('tags', () => {
    it('come as query arguments, twice without harm, and leave only when they are there', async () => {
      const { raw, client } = bench();
      const name = bench().name('tags');
      await bench().run(
        bench().instance(name, network, { start: false, osParameters: { progress_step_seconds: '0' } }),
      );
      const tags = async (method: string, query: string) =>
        bench().finished(Number((await raw.send(method, `/2/instances/${name}/tags?${query}`)).json));
      const added = await tags('PUT', 'tag=a:b&tag=c');
      expect(added).toMatchObject({ status: 'success', summary: ['TAGS_SET'] });
      expect(added.ops?.[0]).toMatchObject({ kind: 'instance', name, tags: ['a:b', 'c'] });
      expect(await tags('PUT', 'tag=c')).toMatchObject({ status: 'success' });
      expect((await client.getInstance(name))?.tags.toSorted()).toEqual(['a:b', 'c']);
      const absent = await tags('DELETE', 'tag=c&tag=nope');
      expect(jobError(absent)).toEqual({ message: "Tag(s) 'nope' not found", code: 'unknown_entity' });
      expect(await tags('DELETE', 'tag=c')).toMatchObject({ status: 'success' });
      expect((await client.getInstance(name))?.tags).toEqual(['a:b']);
      expect(jobError(await tags('PUT', 'tag=with%20space'))?.message).toBe('Tag contains invalid characters');
    });
  });
}
