import { beforeAll, describe, expect, it } from 'vitest';
import { asDryRun, type GanetiRequest, type JobError, jobError } from '../../src/ganeti/index.ts';
import type { Bench } from './bench.ts';
import { ReportServer } from './report-server.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The build of an instance, with its progress and everything that can end it. */
export function describeBuilds(bench: () => Bench): void {
  let network: string;
  beforeAll(async () => {
    network = await bench().connectedNetwork();
  });

  describe('a build', () => {
    const failures = async (...requests: GanetiRequest[]) => (await bench().runAll(requests)).map(jobError);

    it('reports its progress, is seen while it goes on, and leaves a running instance', async () => {
      const { client, target } = bench();
      const reports = await ReportServer.listen(target.callbackHost);
      const name = bench().name('vm.example.test');
      const osParameters = {
        img_id: 'debian',
        img_format: 'diskdump',
        progress_url: reports.url,
        progress_step_seconds: '0.1',
      };
      const id = await bench().submit(bench().instance(name, network, { osParameters, tags: ['one'] }));
      await reports.until((report) => Number(report.progress) >= 10);
      // Visible, and ADMIN_down although it is being built.
      expect(await client.getInstance(name)).toMatchObject({ status: 'ADMIN_down', adminState: 'down' });
      const job = await bench().finished(id);
      await reports.close();

      expect(job).toMatchObject({
        status: 'success',
        summary: [`INSTANCE_CREATE(${name})`],
        opResult: [[expect.any(String)]],
      });
      expect(phases(job.opLog[0]?.map(({ message }) => message) ?? [], name)).toEqual([
        ' - INFO: Selected nodes',
        ' - INFO: NIC/0 inherits netparams',
        ' - INFO: Chose IP',
        '* disk 0, size 1.0G',
        '* creating instance disks...',
        'adding instance NAME to cluster config',
        'adding disks to cluster config',
        ' - INFO: Waiting for instance NAME to sync disks',
        " - INFO: Instance NAME's disks are in sync",
        ' - INFO: Waiting for instance NAME to sync disks',
        " - INFO: Instance NAME's disks are in sync",
        '* running the instance OS create scripts...',
        '* starting instance...',
      ]);
      expect(reports.received.map(({ progress }) => progress).filter((progress) => progress !== undefined)).toEqual([
        0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100,
      ]);
      expect(reports.received).toContainEqual(
        expect.objectContaining({ level: 'INFO', message: `build of ${name} begins` }),
      );

      const instance = await client.getInstance(name);
      expect(instance).toMatchObject({
        name,
        uuid: expect.stringMatching(UUID),
        status: 'running',
        adminState: 'up',
        operState: true,
        operMemoryMiB: 128,
        operVcpus: 1,
        osType: target.osName,
        diskTemplate: target.diskTemplate,
        vcpus: 1,
        memoryMiB: 128,
        tags: ['one'],
        disks: [{ sizeMiB: 1024, name: null }],
        nics: [
          {
            uuid: expect.stringMatching(UUID),
            name: `${name}-nic`,
            ip: expect.stringMatching(/^10\.213\.7\.\d+$/),
            mac: expect.stringMatching(/^aa:00:07:/),
            mode: 'bridged',
            link: target.bridge,
            bridge: target.bridge,
            network,
          },
        ],
      });
      expect((await client.getNetwork(network))?.instances).toContain(name);
      expect(await client.listInstances()).toContainEqual(expect.objectContaining({ name, uuid: instance?.uuid }));
    });

    it('that fails in its OS script leaves the instance, down, with its address', async () => {
      const { client } = bench();
      const name = bench().name('fails');
      const job = await bench().run(
        bench().instance(name, network, { osParameters: { fail: 'yes', progress_step_seconds: '0.02' } }),
      );
      expect(job).toMatchObject({ status: 'error', opStatus: ['error'] });
      const error = jobError(job);
      expect(error?.code).toBeNull();
      expect(error?.message).toMatch(
        new RegExp(
          `^Could not add os for instance ${name} on node \\S+: OS create script failed \\(exited with exit code 3\\), last lines in the log file:\n`,
        ),
      );
      expect(error?.message).toContain('told to fail');
      expect(await client.getInstance(name)).toMatchObject({
        status: 'ADMIN_down',
        operState: false,
        operMemoryMiB: null,
        nics: [{ ip: expect.any(String), network }],
      });
    });

    it('of an OS that always fails says its last lines', async () => {
      const name = bench().name('osfail');
      const { failingOsName } = bench().target;
      const job = await bench().run(bench().instance(name, network, { osType: failingOsName, osParameters: {} }));
      expect(jobError(job)?.message).toMatch(/exit code 3\), last lines in the log file:\n.*last lines/s);
    });

    it('of a name that is taken, or of an unknown OS, leaves nothing', async () => {
      const { client } = bench();
      const name = bench().name('twice');
      const stopped = { start: false, osParameters: { progress_step_seconds: '0' } };
      const [first, second] = await Promise.all([
        bench().submit(bench().instance(name, network, stopped)),
        bench().submit(bench().instance(name, network, stopped)),
      ]);
      const jobs = [await bench().finished(first), await bench().finished(second)];
      expect(jobs.map(({ status }) => status).sort()).toEqual(['error', 'success']);
      const loser = jobs.find(({ status }) => status === 'error');
      expect(loser && jobError(loser)).toMatchObject({ code: 'already_exists' });
      const third = await bench().run(bench().instance(name, network, stopped));
      expect(jobError(third)).toEqual({
        message: `Instance '${name}' is already in the cluster`,
        code: 'already_exists',
      });
      expect(await client.getInstance(name)).toMatchObject({ status: 'ADMIN_down', operState: false });

      const used = (await client.getNetwork(network))?.reservedCount;
      const nameless = bench().name('noos');
      const unknownOs = await bench().run(bench().instance(nameless, network, { osType: 'nonsense+default' }));
      expect(jobError(unknownOs)?.code).toBeNull();
      expect(jobError(unknownOs)?.message).toMatch(
        /^OS Parameters validation failed on node \S+: Directory for OS nonsense not found in search path$/,
      );
      expect(await client.getInstance(nameless)).toBeNull();
      expect((await client.getNetwork(network))?.reservedCount).toBe(used);
    });

    it('takes an address that was asked for, and not one that is taken or foreign', async () => {
      const { client } = bench();
      const withAddress = (name: string, ip: string | null) =>
        bench().instance(name, network, {
          start: false,
          nics: [{ network, ip, name: `${name}-nic` }],
          osParameters: { progress_step_seconds: '0' },
        });
      const name = bench().name('addr');
      expect(await bench().run(withAddress(name, '10.213.7.29'))).toMatchObject({ status: 'success' });
      expect((await client.getInstance(name))?.nics[0]?.ip).toBe('10.213.7.29');
      for (const ip of ['10.213.7.29', '10.213.99.1']) {
        const job = await bench().run(withAddress(bench().name('addr'), ip));
        expect(jobError(job)).toEqual({
          message: `IP address ${ip} already in use or does not belong to network ${network}`,
          code: 'resource_not_unique',
        });
      }
      const without = bench().name('addr');
      expect(await bench().run(withAddress(without, null))).toMatchObject({ status: 'success' });
      expect((await client.getInstance(without))?.nics[0]).toMatchObject({ ip: null, network });
    });

    it('too big for every node, on a disabled template or a network that is not connected fails', async () => {
      const unknown = bench().name('none');
      const [big, plain, lost] = (await failures(
        bench().instance(bench().name('big'), network, { memoryMiB: 99_999_999 }),
        bench().instance(bench().name('lvm'), network, { diskTemplate: 'plain' }),
        bench().instance(bench().name('vm'), unknown),
      )) as [JobError, JobError, JobError];
      expect(big.code).toBe('insufficient_resources');
      expect(big.message).toMatch(/^Can't compute nodes using iallocator '[^']+': Request failed: /);
      expect(plain.code).toBeNull();
      expect(plain.message).toMatch(/^Disk template 'plain' is not enabled in cluster/);
      expect(lost).toEqual({ message: `Network '${unknown}' not found`, code: 'unknown_entity' });
    });

    it('without a NIC, with a foreign OS parameter or an ext disk elsewhere fails', async () => {
      const vm = (changes: Parameters<Bench['instance']>[2]) => bench().instance(bench().name('vm'), network, changes);
      const [nicless, ext, foreign, small] = (await failures(
        vm({ nics: [] }),
        vm({ disks: [{ sizeMiB: 1024, provider: 'x' }] }),
        vm({ osParameters: { nonsense: '1' } }),
        vm({ disks: [{ sizeMiB: 1 }] }),
      )) as [JobError, JobError, JobError, JobError];
      expect(nicless.code).toBe('wrong_input');
      expect(nicless.message).toMatch(
        /^Instance allocation to group \S+ \(default\) violates policy: nic-count value 0 is not in range \[1, 8\]$/,
      );
      expect(ext).toEqual({
        message: `The 'provider' option is only valid for the ext disk template, not ${bench().target.diskTemplate}`,
        code: 'wrong_input',
      });
      expect(foreign.code).toBeNull();
      expect(foreign.message).toMatch(
        /^OS Parameters validation failed on node \S+: The following parameters are not supported by the OS \S+: nonsense$/,
      );
      expect(small.message).toMatch(/failure reasons: FailDisk: \d+$/);
    });

    it('is rehearsed by a dry run', async () => {
      const name = bench().name('dry');
      const job = await bench().run(asDryRun(bench().instance(name, network)));
      expect(job).toMatchObject({ status: 'success', opResult: [[expect.any(String)]] });
      expect(job.ops?.[0]).toMatchObject({ dry_run: true });
      expect(await bench().client.getInstance(name)).toBeNull();
    });

    it('is refused before any job when its body is wrong', async () => {
      const { raw } = bench();
      const good = bench().instance(bench().name('bad'), network).body ?? {};
      const create = (changes: Record<string, unknown>) =>
        raw.sendJson('POST', '/2/instances', { ...good, ...changes });
      const refused = (message: string) => ({ status: 400, json: { code: 400, message } });
      expect(await create({ nonsense: 1 })).toMatchObject(
        refused(
          'Invalid body parameters: Object OpInstanceCreate doesn&#x27;t support the parameter &#x27;nonsense&#x27;',
        ),
      );
      expect(await create({ disk_template: 'nonsense' })).toMatchObject(
        refused(
          'Invalid body parameters: (&quot;Parameter &#x27;OP_INSTANCE_CREATE.disk_template&#x27; fails validation&quot;, &#x27;wrong_input&#x27;)',
        ),
      );
      expect(await create({ dry_run: true })).toMatchObject(
        refused('Can&#x27;t overwrite static parameters {&#x27;dry_run&#x27;}'),
      );
      expect(await create({ os: 'x' })).toMatchObject(
        refused('Parameter &#x27;os&#x27; was renamed to &#x27;os_type&#x27;, but both are specified'),
      );
      expect(await create({ __version__: 0 })).toMatchObject(
        refused('Instance creation request version 0 is no longer supported'),
      );
      expect(await create({ nics: [{ firewall: 'x' }] })).toMatchObject({ status: 400 });
      expect(await raw.sendJson('POST', '/2/instances?dry-run=true', good)).toMatchObject(
        refused('Invalid value for the &#x27;dry-run&#x27; parameter'),
      );
      expect(await raw.sendJson('POST', '/2/instances', [])).toMatchObject(
        refused('Body contents: Type is &#x27;list&#x27;, but &#x27;dict&#x27; is expected'),
      );
    });
  });
}

// The parts of the log that are the same on every cluster.
function phases(messages: readonly string[], name: string): string[] {
  return messages.map((message) =>
    message
      .replaceAll(name, 'NAME')
      .replace(/^( - INFO: (?:Selected nodes|NIC\/0 inherits netparams|Chose IP)).*/, '$1'),
  );
}
