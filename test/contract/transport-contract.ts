import { describe, expect, it } from 'vitest';
import { fetchCertificate, GanetiClient, probeCluster } from '../../src/ganeti/index.ts';
import type { Bench } from './bench.ts';
import { connectionTo } from './target.ts';

/** How RAPI speaks HTTP, and what its errors look like. */
export function describeTransport(bench: () => Bench): void {
  describe('transport', () => {
    it('answers JSON with a newline and closes the connection', async () => {
      const reply = await bench().raw.send('GET', '/version');
      expect(reply).toMatchObject({ status: 200, text: '2\n' });
      expect(reply.headers['content-type']).toBe('application/json');
      expect(reply.headers.connection?.toString().toLowerCase()).toBe('close');
    });

    it.each(['/2/%69nfo', '/2/info/', '//2/info', '/2/nonsense', '/2/jobs/abc'])('has no %s', async (path) => {
      const reply = await bench().raw.send('GET', path);
      expect(reply).toMatchObject({
        status: 404,
        json: { code: 404, message: 'Not Found', explain: 'Nothing matches the given URI' },
      });
    });

    it('asks for credentials first, and verifies them after it has looked at the path and the method', async () => {
      const { raw } = bench();
      const reply = await raw.send('GET', '/2/info', { anonymous: true });
      expect(reply).toMatchObject({ status: 401, json: { code: 401, message: 'Unauthorized' } });
      expect(reply.headers['www-authenticate']).toBe('Basic realm="Ganeti Remote API"');
      expect(await raw.send('GET', '/2/nonsense', { anonymous: true })).toMatchObject({ status: 401 });
      expect(await raw.send('PATCH', '/2/info', { anonymous: true })).toMatchObject({ status: 401 });
      const wrong = { anonymous: true, headers: { authorization: 'Basic bm9ib2R5Om5vdGhpbmc=' } };
      expect(await raw.send('GET', '/2/nonsense', wrong)).toMatchObject({ status: 404 });
      expect(await raw.send('PATCH', '/2/info', wrong)).toMatchObject({ status: 501 });
      expect(await raw.send('GET', '/2/info', wrong)).toMatchObject({ status: 401 });
    });

    it('takes only complete Basic credentials', async () => {
      const { raw } = bench();
      const withAuthorization = (authorization: string) =>
        raw.send('GET', '/2/info', { anonymous: true, headers: { authorization } });
      expect(await withAuthorization('Basic')).toMatchObject({
        status: 400,
        json: { message: 'Basic authentication requires credentials' },
      });
      expect(await withAuthorization('Bearer abc')).toMatchObject({ status: 401 });
      expect(await withAuthorization('Basic bm9ib2R5Om5vdGhpbmc=')).toMatchObject({ status: 401 });
    });

    it.each(['PATCH', 'OPTIONS', 'POST'])('has no %s on a read-only resource', async (method) => {
      expect(await bench().raw.send(method, '/2/info')).toMatchObject({
        status: 501,
        json: { code: 501, message: `Method ${method} is unsupported for path /2/info` },
      });
    });

    it('takes a body of exactly one type, with its length, and parses it', async () => {
      const { raw } = bench();
      const post = (body: string, headers: Record<string, string>) =>
        raw.send('POST', '/2/networks', { body, headers });
      expect(await post('{}', { 'content-type': 'application/json; charset=utf-8' })).toMatchObject({ status: 415 });
      expect(await post('{}', {})).toMatchObject({ status: 415, json: { message: 'Unsupported Media Type' } });
      const unparsable = { status: 400, json: { code: 400, message: 'Unable to parse JSON data' } };
      expect(await post('{oops', { 'content-type': 'application/json' })).toMatchObject(unparsable);
      expect(await post('{}', { 'content-type': 'application/json', 'transfer-encoding': 'chunked' })).toMatchObject(
        unparsable,
      );
    });

    it('drops a request line above 8192 characters without a reply', async () => {
      const { raw } = bench();
      await expect(raw.send('GET', `/2/info?reason=${'x'.repeat(9_000)}`)).rejects.toThrow();
      expect(await raw.send('GET', `/2/info?reason=${'x'.repeat(7_000)}`)).toMatchObject({ status: 200 });
    });

    it('escapes the messages of its errors, and the client decodes them', async () => {
      const { raw, client } = bench();
      const escaped = await raw.sendJson('POST', '/2/networks', { network_type: 'x' });
      expect(escaped).toMatchObject({
        status: 400,
        json: {
          message:
            'Invalid body parameters: Object OpNetworkAdd doesn&#x27;t support the parameter &#x27;network_type&#x27;',
          explain: 'Bad request syntax or unsupported method',
        },
      });
      const submit = client.submit(
        { opcode: 'OP_NETWORK_ADD', method: 'POST', path: '/2/networks', body: { network_type: 'x' } },
        { reason: 'contract' },
      );
      await expect(submit).rejects.toMatchObject({
        kind: 'rejected',
        reason: 'bad-request',
        status: 400,
        message: "Invalid body parameters: Object OpNetworkAdd doesn't support the parameter 'network_type'",
      });
    });
  });

  describe('who is who', () => {
    it('shows a self-signed certificate without a SAN, which the pin accepts in any form', async () => {
      const { target } = bench();
      const { fingerprint256 } = await fetchCertificate(target.url);
      expect(fingerprint256).toBe(target.fingerprint);
      const fingerprint = fingerprint256.replaceAll(':', '').toLowerCase();
      const client = new GanetiClient(connectionTo(target, { tls: { fingerprint } }));
      expect(await client.getInfo()).toMatchObject({ softwareVersion: expect.stringMatching(/^\d+\.\d+/) });
      await client.close();
    });

    it('is probed: its nodes, groups and jobs', async () => {
      const probe = await probeCluster(connectionTo(bench().target));
      expect(probe.info.name).not.toBe('');
      expect(probe.groups).toContainEqual({ name: 'default' });
      expect(probe.nodes.length).toBeGreaterThan(0);
      expect(probe.lastJobId).toBeGreaterThanOrEqual(0);
    });

    it('tells a wrong password, a wrong pin and the lack of one apart', async () => {
      const { target } = bench();
      await expect(probeCluster(connectionTo(target, { password: 'wrong' }))).rejects.toMatchObject({
        reason: 'authentication',
      });
      const mismatch = { reason: 'certificate-mismatch' };
      const wrongPin = connectionTo(target, { tls: { fingerprint: '00'.repeat(32) } });
      await expect(probeCluster(wrongPin)).rejects.toMatchObject(mismatch);
      await expect(probeCluster(connectionTo(target, { tls: {} }))).rejects.toMatchObject(mismatch);
    });

    it('moves on to the next endpoint when one refuses', async () => {
      const { target } = bench();
      const client = new GanetiClient(connectionTo(target, { endpoints: ['https://127.0.0.1:1', target.url] }));
      expect(await client.listGroups()).toContainEqual({ name: 'default' });
      await client.close();
    });
  });
}
