import { describe, expect, test, vi } from 'vitest';
import { type StreamEvent, stateEvent } from '../../../src/changes/event.ts';
import { Mailbox } from '../../../src/changes/mailbox.ts';
import type { PublishedChange } from '../../../src/changes/published.ts';
import { EventStream, FeedClosedError } from '../../../src/changes/stream.ts';

const event = (version: number): StreamEvent =>
  stateEvent('SNAPSHOT', { entityType: 'NETWORK', entityId: '1', version, cursor: '', at: new Date(0) });

function opened(events: () => AsyncIterator<StreamEvent, undefined>) {
  const stop = vi.fn();
  const start = vi.fn(() => ({ events: events(), stop }));
  return { stream: new EventStream(start), start, stop };
}

async function* two(): AsyncGenerator<StreamEvent, undefined> {
  yield event(1);
  yield event(2);
}

const forever = () => ({ next: () => new Promise<never>(() => {}) });

describe('an event stream', () => {
  test('begins with the first next(), ends by itself, and stops once', async () => {
    const { stream, start, stop } = opened(two);
    expect(start).not.toHaveBeenCalled();
    const versions: number[] = [];
    for await (const { version } of stream) versions.push(version);
    expect(versions).toEqual([1, 2]);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    await stream.return();
    expect(start).toHaveBeenCalledOnce();
    expect(stop).toHaveBeenCalledOnce();
  });

  test('answers several next() at once, in order', async () => {
    const { stream } = opened(two);
    const results = await Promise.all([stream.next(), stream.next(), stream.next(), stream.next()]);
    expect(results.map(({ value }) => value?.version)).toEqual([1, 2, undefined, undefined]);
  });

  test('return() while next() waits ends both at once', async () => {
    const { stream, stop } = opened(forever);
    const waiting = [stream.next(), stream.next()];
    expect(await stream.return()).toEqual({ done: true, value: undefined });
    expect(await Promise.all(waiting)).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
    expect(stop).toHaveBeenCalledOnce();
  });

  test('return() before next() starts nothing', async () => {
    const { stream, start } = opened(two);
    await stream.return();
    expect(await stream.next()).toMatchObject({ done: true });
    expect(start).not.toHaveBeenCalled();
  });

  test('break and throw() stop it', async () => {
    const broken = opened(two);
    for await (const { version } of broken.stream) if (version === 1) break;
    expect(broken.stop).toHaveBeenCalledOnce();
    const thrown = opened(two);
    await thrown.stream.next();
    await expect(thrown.stream.throw(new Error('no'))).rejects.toThrow('no');
    expect(thrown.stop).toHaveBeenCalledOnce();
  });

  test('passes a failure on once, then is done', async () => {
    const { stream, stop } = opened(() => ({ next: () => Promise.reject(new Error('lost')) }));
    await expect(stream.next()).rejects.toThrow('lost');
    expect(await stream.next()).toMatchObject({ done: true });
    expect(stop).toHaveBeenCalledOnce();
  });

  test('fail() reaches who waits, or else who asks next', async () => {
    const waiting = opened(forever);
    const pending = waiting.stream.next();
    waiting.stream.fail(new FeedClosedError());
    await expect(pending).rejects.toThrow(FeedClosedError);
    expect(await waiting.stream.next()).toMatchObject({ done: true });

    const idle = opened(two);
    await idle.stream.next();
    idle.stream.fail(new FeedClosedError());
    await expect(idle.stream.next()).rejects.toThrow(FeedClosedError);
    expect(await idle.stream.next()).toMatchObject({ done: true });
    expect(idle.stop).toHaveBeenCalledOnce();
  });
});

describe('a mailbox', () => {
  const change = (version: number) => ({ record: { version } }) as unknown as PublishedChange;

  test('drops everything when it is full, and fills again after a reset', async () => {
    const mailbox = new Mailbox(3);
    for (let version = 1; version <= 3; version += 1) mailbox.deliver(change(version));
    expect(mailbox.isBroken).toBe(false);
    mailbox.deliver(change(4));
    mailbox.deliver(change(5));
    expect(mailbox.isBroken).toBe(true);
    expect(mailbox.take()).toBeUndefined();
    await mailbox.filled();
    mailbox.reset();
    mailbox.deliver(change(6));
    expect(mailbox.take()?.record.version).toBe(6);
    expect(mailbox.take()).toBeUndefined();
  });

  test('wakes its reader for a change, a break and a close', async () => {
    const mailbox = new Mailbox(3);
    for (const wake of [() => mailbox.deliver(change(1)), () => mailbox.discontinue(), () => mailbox.close()]) {
      mailbox.reset();
      const filled = mailbox.filled();
      wake();
      await filled;
    }
    mailbox.deliver(change(2));
    expect(mailbox.take()).toBeUndefined();
  });
});
