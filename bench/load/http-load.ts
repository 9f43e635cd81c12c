/** A load generator in a process of its own: so many connections, each with one request at a time. */
import { Pool } from 'undici';
import { answerCalls, monotonicMs } from '../channel.ts';

export interface HttpLoad {
  readonly url: string;
  /** The JSON to POST. */
  readonly body: string;
  /** What every answer must be, byte for byte: it was compared with the database once. */
  readonly expected: string;
  readonly connections: number;
  readonly durationMs: number;
}

export interface HttpLoadResult {
  /** Answers that were as expected. */
  readonly right: number;
  /** Of those. */
  readonly perSecond: number;
  /** Answers with another status or other bytes, and requests without an answer. */
  readonly wrong: number;
}

async function load({ url, body, expected, connections, durationMs }: HttpLoad): Promise<HttpLoadResult> {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const wanted = Buffer.from(expected);
  let right = 0;
  let wrong = 0;
  const beganAt = monotonicMs();
  const request = (): Promise<void> =>
    new Promise((resolve) => {
      let offset = 0;
      let isRight = true;
      pool.dispatch(
        { path: pathname, method: 'POST', headers: HEADERS, body },
        {
          onRequestStart() {},
          onResponseStart(_controller, status) {
            isRight = status === 200;
          },
          onResponseData(_controller, chunk) {
            isRight &&= wanted.subarray(offset, offset + chunk.length).equals(chunk);
            offset += chunk.length;
          },
          onResponseEnd() {
            if (isRight && offset === wanted.length) right += 1;
            else wrong += 1;
            resolve();
          },
          onResponseError() {
            wrong += 1;
            resolve();
          },
        },
      );
    });
  const connection = async (): Promise<void> => {
    while (monotonicMs() - beganAt < durationMs) await request();
  };
  await Promise.all(Array.from({ length: connections }, connection));
  const perSecond = (right * 1_000) / (monotonicMs() - beganAt);
  await pool.close();
  return { right, perSecond, wrong };
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json' };

answerCalls({ load });
