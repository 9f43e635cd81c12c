import type { Pool } from 'pg';
import type { StreamEvent } from '../../changes/index.ts';
import { derivedStream } from '../../graphql/derived-stream.ts';
import { type LogLine, readLogLinesAfter } from './job-log.store.ts';
import { readOperationProgress } from './operation-version.store.ts';

/** Lines read at once. */
const BATCH = 200;

/**
 * The log lines of an operation behind a serial number, as they come; ends when the operation is final and all are sent.
 *
 * @param events the operation's own stream, which says when to look: new lines raise the operation's version.
 */
export function streamLogLines(
  pool: Pool,
  operationId: string,
  afterSerial: number,
  events: AsyncIterableIterator<StreamEvent>,
): AsyncIterableIterator<LogLine> {
  return derivedStream(events, linesOf(pool, operationId, afterSerial, events));
}

async function* linesOf(
  pool: Pool,
  operationId: string,
  afterSerial: number,
  events: AsyncIterableIterator<StreamEvent>,
): AsyncGenerator<LogLine, void, undefined> {
  let serial = afterSerial;
  for await (const event of events) {
    // Asked before the lines are read: those written last came no later than the end.
    const isFinal = await oncePerEvent(event, 'end', async () => {
      const progress = await readOperationProgress(pool, operationId);
      return progress === null || progress.isFinal;
    });
    for (let isMore = true; isMore; ) {
      const from = serial;
      const lines = await oncePerEvent(event, from, () => readLogLinesAfter(pool, operationId, from, BATCH));
      yield* lines;
      serial = lines.at(-1)?.serial ?? serial;
      isMore = lines.length === BATCH;
    }
    if (isFinal) return;
  }
}

const readings = new WeakMap<StreamEvent, Map<unknown, Promise<unknown>>>();

/** What N streams do about one event is done once, and gives them the same objects, which can be sent as one. */
function oncePerEvent<Value>(event: StreamEvent, key: unknown, read: () => Promise<Value>): Promise<Value> {
  let known = readings.get(event);
  if (!known) {
    known = new Map();
    readings.set(event, known);
  }
  let reading = known.get(key) as Promise<Value> | undefined;
  if (!reading) {
    reading = read();
    known.set(key, reading);
  }
  return reading;
}
