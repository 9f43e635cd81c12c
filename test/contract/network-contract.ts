import { describe, expect, it } from 'vitest';
import { createNetwork, deleteNetwork, disconnectNetwork, jobError } from '../../src/ganeti/index.ts';
import type { Bench } from './bench.ts';

/** Networks from their creation to their removal, and what can go wrong. */
export function describeNetworks(bench: () => Bench): void {
  describe('networks', () => {
    it('are added, connected, read, disconnected and removed', async () => {
      const { client, target } = bench();
      const name = bench().name('net');
      const added = await bench().run(
        createNetwork({
          name,
          network: '10.213.11.0/29',
          gateway: '10.213.11.1',
          network6: 'fd00:213::/64',
          gateway6: 'fd00:213::1',
          macPrefix: 'aa:00:0b',
          conflictsCheck: false,
          tags: ['private', 'nfdhcpd'],
        }),
      );
      expect(added).toMatchObject({ status: 'success', opResult: [null] });
      expect(await bench().run(bench().connect(name))).toMatchObject({ status: 'success', opLog: [[]] });

      const network = await client.getNetwork(name);
      expect(network).toMatchObject({
        name,
        network: '10.213.11.0/29',
        gateway: '10.213.11.1',
        network6: 'fd00:213::/64',
        gateway6: 'fd00:213::1',
        macPrefix: 'aa:00:0b',
        freeCount: 5,
        reservedCount: 3,
        map: 'XX.....X',
        groups: [{ group: 'default', mode: 'bridged', link: target.bridge, vlan: '' }],
        instances: [],
        externalReservations: ['10.213.11.0', '10.213.11.1', '10.213.11.7'],
      });
      expect(network?.tags.toSorted()).toEqual(['nfdhcpd', 'private']);
      expect(await client.listNetworks()).toContainEqual(network);
      // By uuid the object is found, and is not what was asked for by name.
      expect(await bench().raw.send('GET', `/2/networks/${network?.uuid}`)).toMatchObject({ json: { name } });
      expect(await client.getNetwork(network?.uuid ?? '')).toBeNull();

      expect(await bench().run(disconnectNetwork({ network: name, group: 'default' }))).toMatchObject({
        status: 'success',
      });
      expect(await bench().run(deleteNetwork(name))).toMatchObject({ status: 'success' });
      expect(await client.getNetwork(name)).toBeNull();
    });

    it('repeat their connection and disconnection with a warning only', async () => {
      const name = await bench().connectedNetwork();
      const again = await bench().run(bench().connect(name));
      expect(again.status).toBe('success');
      expect(again.opLog[0]?.map(({ message }) => message)).toEqual([
        ` - WARNING: Network '${name}' is already mapped to group 'default'`,
      ]);
      await bench().run(disconnectNetwork({ network: name, group: 'default' }));
      const twice = await bench().run(disconnectNetwork({ network: name, group: 'default' }));
      expect(twice.status).toBe('success');
      expect(twice.opLog[0]?.map(({ message }) => message)).toEqual([
        ` - WARNING: Network '${name}' is not mapped to group 'default'`,
      ]);
    });

    it('are not removed while connected, nor made twice', async () => {
      const { client } = bench();
      const name = await bench().connectedNetwork();
      const { uuid } = (await client.getNetwork(name)) ?? { uuid: '' };
      expect(jobError(await bench().run(deleteNetwork(name)))).toEqual({
        message: 'Network still connected',
        code: 'wrong_state',
      });
      const again = createNetwork({ name, network: '10.213.12.0/28', conflictsCheck: false, tags: [] });
      expect(jobError(await bench().run(again))).toEqual({
        message: `Desired network name '${name}' already exists as a network (UUID: ${uuid})`,
        code: 'already_exists',
      });
    });

    it('fail in the job when they are unknown', async () => {
      const name = bench().name('none');
      const notFound = { message: `Network '${name}' not found`, code: 'unknown_entity' };
      expect(jobError(await bench().run(deleteNetwork(name)))).toEqual(notFound);
      expect(jobError(await bench().run(bench().connect(name)))).toEqual(notFound);
    });

    it('fail in the job with a gateway outside', async () => {
      const name = bench().name('net');
      const job = await bench().run(
        createNetwork({ name, network: '10.213.13.0/28', gateway: '10.9.9.9', conflictsCheck: false, tags: [] }),
      );
      expect(jobError(job)).toEqual({
        message: `Cannot create IP address pool for network '${name}': 10.213.13.0/28 does not contain 10.9.9.9`,
        code: null,
      });
      expect(await bench().client.getNetwork(name)).toBeNull();
    });

    it('are refused before any job with host bits, a bad subnet or a forbidden key', async () => {
      const { raw } = bench();
      const add = (body: Record<string, unknown>) => raw.sendJson('POST', '/2/networks', body);
      expect(await add({ network_name: 'x', network: '10.0.0.5/28' })).toMatchObject({
        status: 500,
        json: { message: '10.0.0.5/28 has host bits set' },
      });
      expect(await add({ network_name: 'x', network: null })).toMatchObject({ status: 400 });
      expect(await add({ network_name: 'x', network: '10.213.0.0/28', reason: 'y' })).toMatchObject({
        status: 400,
        json: { message: 'Can&#x27;t overwrite static parameters {&#x27;reason&#x27;}' },
      });
    });

    it('reserve addresses by hand, and only warn when they cannot', async () => {
      const { client, raw } = bench();
      const name = await bench().connectedNetwork();
      const modify = async (body: unknown) =>
        bench().finished(Number((await raw.sendJson('PUT', `/2/networks/${name}/modify`, body)).json));
      const reserved = await modify({ add_reserved_ips: ['10.213.7.20', '10.213.7.17'] });
      expect(reserved.status).toBe('success');
      expect(reserved.opLog[0]?.map(({ message }) => message)).toEqual([
        ' - WARNING: Cannot reserve IP address 10.213.7.17: IP 10.213.7.17 is already externally reserved',
      ]);
      expect((await client.getNetwork(name))?.externalReservations).toContain('10.213.7.20');
      await modify({ remove_reserved_ips: ['10.213.7.20'] });
      expect((await client.getNetwork(name))?.externalReservations).not.toContain('10.213.7.20');
    });
  });
}
