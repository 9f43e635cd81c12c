import { beforeAll, describe, expect, it } from 'vitest';
import { createNetwork, deleteInstance } from '../../src/ganeti/index.ts';
import type { Bench } from './bench.ts';

/** `/2/query/job`: the one call that is fast, and its quirks. */
export function describeQueries(bench: () => Bench): void {
  describe('job queries', () => {
    let failed: number;
    let succeeded: number;
    beforeAll(async () => {
      failed = (await bench().run(deleteInstance(bench().name('none')))).id;
      const network = { name: bench().name('net'), network: '10.213.10.0/28', conflictsCheck: false, tags: [] };
      succeeded = (await bench().run(createNetwork(network))).id;
    });

    const query = (fields: string[], qfilter: unknown) =>
      bench().raw.sendJson('PUT', '/2/query/job', { fields, qfilter });

    it('answer rows of cells, and say what the fields are', async () => {
      const reply = await query(['id', 'status', 'nonsense'], ['=', 'id', failed]);
      expect(reply).toMatchObject({
        status: 200,
        json: {
          data: [
            [
              [0, failed],
              [0, 'error'],
              [1, null],
            ],
          ],
        },
      });
      expect((reply.json as { fields: { name: string }[] }).fields.map(({ name }) => name)).toEqual([
        'id',
        'status',
        'nonsense',
      ]);
    });

    it.each([
      ['a union of ids', () => ['|', ['=', 'id', failed], ['=', 'id', succeeded]], () => [failed, succeeded]],
      ['both bounds', () => ['&', ['>', 'id', failed - 1], ['<', 'id', failed + 1]], () => [failed]],
      ['a negation', () => ['&', ['>', 'id', failed - 1], ['!', ['>', 'id', failed]]], () => [failed]],
      [
        'a status',
        () => ['&', ['>', 'id', failed - 1], ['<=', 'id', succeeded], ['=', 'status', 'success']],
        () => [succeeded],
      ],
      [
        'a member of a list',
        () => ['&', ['=[]', 'opstatus', 'error'], ['|', ['=', 'id', failed], ['=', 'id', succeeded]]],
        () => [failed],
      ],
      [
        'a regular expression on a text',
        () => ['&', ['=~', 'status', '^succ'], ['|', ['=', 'id', failed], ['=', 'id', succeeded]]],
        () => [succeeded],
      ],
    ])('filter by %s', async (_what, filter, expected) => {
      const reply = await query(['id'], filter());
      expect(reply.status).toBe(200);
      const rows = (reply.json as { data: [[number, number]][] }).data.map(([[, id]]) => id);
      expect(rows.sort((one, other) => one - other)).toEqual(expected());
    });

    it.each([
      ['an unknown operand', ['nonsense', 'id', 1], 502],
      ['a null', ['=', 'id', null], 502],
      ['a boolean', ['=', 'id', true], 502],
      ['a list', ['=', 'received_ts', [1, 2]], 502],
      ['an unknown field', ['=', 'nonsense', 1], 500],
      ['a regular expression on a list', ['=~', 'summary', 'x'], 500],
    ])('refuse %s', async (_what, filter, status) => {
      const reply = await query(['id'], filter);
      expect(reply).toMatchObject({ status, json: { code: status } });
      if (status === 502) expect((reply.json as { message: string }).message).toMatch(/^Failed to parse request/);
    });

    it('refuse an unknown resource', async () => {
      expect(await bench().raw.sendJson('PUT', '/2/query/nonsense', { fields: ['id'] })).toMatchObject({ status: 502 });
    });

    it('come by GET with the fields as an argument', async () => {
      const { raw } = bench();
      expect(await raw.send('GET', '/2/query/job')).toMatchObject({ status: 400 });
      const reply = await raw.send('GET', '/2/query/job?fields=id,status');
      expect((reply.json as { data: unknown[] }).data).toContainEqual([
        [0, failed],
        [0, 'error'],
      ]);
    });
  });
}
