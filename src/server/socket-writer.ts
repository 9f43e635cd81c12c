import type { WebSocket } from 'ws';

/** Sends text to one WebSocket without ever letting more than a bounded amount wait for it. */
export interface SocketWriter {
  /** Sends one frame of a stream; a returned promise resolves when the stream may go on. */
  stream(text: string): void | Promise<void>;
  /** Sends an answer to a message of the client. While too much is waiting, no further message is read. */
  reply(text: string): Promise<void>;
}

/**
 * A client that does not read makes the kernel's buffers fill, then Node's, without bound. So beyond `maxBufferedBytes` a
 * stream's write resolves only when its frame has left for the kernel, and with it all before it. The most that can
 * wait is then `maxBufferedBytes` and one frame per open subscription.
 */
export function createSocketWriter(socket: WebSocket, maxBufferedBytes: number): SocketWriter {
  let unflushedReplies = 0;

  function isOverfull(text: string): boolean {
    return socket.bufferedAmount + text.length > maxBufferedBytes;
  }

  return {
    stream(text) {
      // Never resolves: a source that always has a result would otherwise keep us busy until the close event, which could
      // then never come.
      if (socket.readyState !== socket.OPEN) return new Promise(() => {});
      if (!isOverfull(text)) return socket.send(text);
      // An error also ends the wait; the socket's close event then stops the stream.
      return new Promise((resolve) => socket.send(text, () => resolve()));
    },
    async reply(text) {
      if (socket.readyState !== socket.OPEN) return;
      if (!isOverfull(text)) return socket.send(text);
      // Someone who sends pings and reads no pongs would otherwise fill our memory with answers.
      unflushedReplies += 1;
      socket.pause();
      await new Promise<void>((resolve) => socket.send(text, () => resolve()));
      unflushedReplies -= 1;
      if (unflushedReplies === 0) socket.resume();
    },
  };
}

/** Watches one WebSocket for signs of life; returns what stops watching. */
export function keepAlive(socket: WebSocket, flushedBytes: () => number, intervalMs: number): () => void {
  let hasAnswered = true;
  let flushedBefore = flushedBytes();
  const answered = () => {
    hasAnswered = true;
  };
  socket.on('pong', answered).on('message', answered);
  const timer = setInterval(() => {
    const flushed = flushedBytes();
    // A slow reader's pong comes late, behind all that it has yet to read. As long as waiting bytes leave, it lives.
    const isReading = socket.bufferedAmount > 0 && flushed > flushedBefore;
    if (!hasAnswered && !isReading) return socket.terminate();
    hasAnswered = false;
    flushedBefore = flushed;
    if (socket.readyState === socket.OPEN) socket.ping();
  }, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
