import { Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect } from 'vitest';

/** What keeps a process alive, and so may be left running: sockets, listeners, timers, child processes. */
const GUARDED = new Set(['TCPSocketWrap', 'TCPServerWrap', 'TLSWrap', 'Timeout', 'ProcessWrap', 'FSEventWrap']);

/** A closed socket is gone a few turns of the event loop later; a server's keep-alive sockets may take longer. */
const SETTLE_MS = 3_000;

const before = count();

// A setup file's hook is registered first and runs last, after the test file's own clean-up.
afterAll(async () => {
  const deadline = performance.now() + SETTLE_MS;
  let left = leftOver();
  while (left.length > 0 && performance.now() < deadline) {
    await sleep(20);
    left = leftOver();
  }
  expect(left, `this test file left running: ${left.join(', ')}${describeSockets()}`).toEqual([]);
});

function leftOver(): string[] {
  return [...count()].flatMap(([kind, number]) => {
    const extra = number - (before.get(kind) ?? 0);
    return extra > 0 ? [`${extra} ${kind}`] : [];
  });
}

/** Node leaves out what is `unref`ed, since that keeps nothing alive. */
function count(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    if (GUARDED.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

function describeSockets(): string {
  // Undocumented, and for the message only: which peers the sockets have says who forgot them.
  const handles = (process as unknown as { _getActiveHandles?: () => unknown[] })._getActiveHandles?.() ?? [];
  const ports = handles.flatMap((handle) => {
    if (handle instanceof Server) return [`listening ${JSON.stringify(handle.address())}`];
    const { localPort, remotePort } = handle as Partial<Socket>;
    return localPort === undefined ? [] : [`:${localPort}${remotePort === undefined ? '' : `→:${remotePort}`}`];
  });
  return ports.length > 0 ? ` (ports ${ports.join(', ')})` : '';
}
