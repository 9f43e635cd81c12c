import { beforeAll, describe, expect, it } from 'vitest';
import { type GanetiJob, jobError } from '../../src/ganeti/index.ts';
import type { Bench } from './bench.ts';

/** Changes of an instance: its NICs, memory and processors. */
export function describeModification(bench: () => Bench): void {
  describe('a modification', () => {
    let network: string;
    let name: string;
    beforeAll(async () => {
      network = await bench().connectedNetwork();
      name = bench().name('modify');
      await bench().run(
        bench().instance(name, network, { start: false, osParameters: { progress_step_seconds: '0' } }),
      );
    });

    const modify = async (body: unknown, instance = name): Promise<GanetiJob> => {
      const reply = await bench().raw.sendJson('PUT', `/2/instances/${instance}/modify`, body);
      expect(reply).toMatchObject({ status: 200 });
      return bench().finished(Number(reply.json));
    };
    const nics = async () => (await bench().client.getInstance(name))?.nics ?? [];

    it('adds a NIC at the end, changes its address, and removes it by its name', async () => {
      const added = await modify({ nics: [['add', '-1', { network, ip: 'pool', name: 'second' }]] });
      expect(added).toMatchObject({ status: 'success', summary: [`INSTANCE_SET_PARAMS(${name})`] });
      const second = (await nics())[1];
      expect(second).toMatchObject({ name: 'second', network, mac: expect.stringMatching(/^aa:00:07:/) });
      expect(added.opLog[0]?.map(({ message }) => message)).toEqual([
        ` - INFO: Chose IP ${second?.ip} from network ${network}`,
      ]);
      expect(added.opResult).toEqual([
        [
          [
            'nic.1',
            `add:mac=${second?.mac},ip=${second?.ip},mode=bridged,link=${bench().target.bridge},network=${network}`,
          ],
        ],
      ]);

      await modify({ nics: [['modify', second?.uuid, { ip: '10.213.7.28' }]] });
      expect((await nics())[1]).toMatchObject({ ip: '10.213.7.28', uuid: second?.uuid, mac: second?.mac });

      const removed = await modify({ nics: [['remove', 'second', {}]] });
      expect(removed.opResult).toEqual([[['NIC/1', 'remove']]]);
      expect(await nics()).toHaveLength(1);
      expect((await bench().client.getNetwork(network))?.map?.at(12)).toBe('.');
    });

    it('of several NICs is all or nothing', async () => {
      const [first] = await nics();
      const before = await bench().client.getNetwork(network);
      const job = await modify({
        nics: [
          ['add', '-1', { network, ip: 'pool', name: 'kept-not' }],
          ['add', '-1', { network, ip: first?.ip, name: 'taken' }],
        ],
      });
      expect(jobError(job)).toEqual({
        message: `IP ${first?.ip} not available in network ${network}`,
        code: 'resource_not_unique',
      });
      expect(await nics()).toEqual([first]);
      expect((await bench().client.getNetwork(network))?.map).toBe(before?.map);
    });

    it('names what it does not find', async () => {
      expect(jobError(await modify({ nics: [['remove', '99', {}]] }))?.message).toBe(
        'Got NIC index 99, but there are only 1',
      );
      const unknown = '00000000-0000-4000-8000-000000000000';
      expect(jobError(await modify({ nics: [['remove', unknown, {}]] }))?.code).toBe('unknown_entity');
      const none = bench().name('none');
      expect(jobError(await modify({ beparams: { vcpus: 2 } }, none))?.code).toBe('unknown_entity');
    });

    it('needs a change, and cannot be hot here', async () => {
      expect(jobError(await modify({}))).toEqual({ message: 'No changes submitted', code: 'wrong_input' });
      const hot = await modify({ nics: [['add', '-1', { network, ip: 'pool' }]], hotplug: true });
      expect(jobError(hot)?.code).toBe('wrong_state');
      expect(await nics()).toHaveLength(1);
    });

    it('sets processors and memory', async () => {
      const job = await modify({ beparams: { vcpus: 2, minmem: 256, maxmem: 256 } });
      expect(job.opResult).toEqual([
        [
          ['be/vcpus', 2],
          ['be/minmem', 256],
          ['be/maxmem', 256],
        ],
      ]);
      expect(await bench().client.getInstance(name)).toMatchObject({ vcpus: 2, memoryMiB: 256 });
    });

    it('is refused before any job with an unknown verb or without a body', async () => {
      const { raw } = bench();
      const path = `/2/instances/${name}/modify`;
      expect(await raw.sendJson('PUT', path, { nics: [['bogus', '0', {}]] })).toMatchObject({ status: 400 });
      expect(await raw.sendJson('PUT', path, { nics: [['remove', '0']] })).toMatchObject({ status: 400 });
      expect(await raw.send('PUT', path)).toMatchObject({ status: 500 });
    });
  });
}
