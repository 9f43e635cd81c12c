import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';

/** Sends to one WebSocket without ever letting more than a bounded amount wait for it. */
export interface SocketWriter {
  /** Sends one text message, given in two parts; a returned promise resolves when the stream may go on. */
  stream(head: Buffer, tail: Buffer): void | Promise<void>;
  /** Sends an answer to a message of the client. While too much is waiting, no further message is read. */
  reply(text: string): Promise<void>;
}

/**
 * A client that does not read makes the kernel's buffers fill, then Node's, without bound. So beyond `maxBufferedBytes` a
 * stream's write resolves only when its frame has left for the kernel, and with it all before it. The most that can
 * wait is then `maxBufferedBytes` and one frame per open subscription.
 *
 * @param tcp the connection below `socket`. Stream frames are written to it directly: `socket.send` would turn the same
 * text into bytes once per subscriber. It is allowed because nothing can get in between: without compression `ws` writes
 * each of its own frames at once and whole.
 */
export function createSocketWriter(socket: WebSocket, tcp: Socket, maxBufferedBytes: number): SocketWriter {
  let unflushedReplies = 0;

  function isOverfull(bytes: number): boolean {
    return socket.bufferedAmount + bytes > maxBufferedBytes;
  }

  return {
    stream(head, tail) {
      // Never resolves: a source that always has a result would otherwise keep us busy until the close event, which could
      // then never come.
      if (socket.readyState !== socket.OPEN) return new Promise(() => {});
      if (!isOverfull(head.byteLength + tail.byteLength)) return writeTextFrame(tcp, head, tail);
      // An error also ends the wait; the socket's close event then stops the stream.
      return new Promise((resolve) => writeTextFrame(tcp, head, tail, () => resolve()));
    },
    async reply(text) {
      if (socket.readyState !== socket.OPEN) return;
      if (!isOverfull(text.length)) return socket.send(text);
      // Someone who sends pings and reads no pongs would otherwise fill our memory with answers.
      unflushedReplies += 1;
      socket.pause();
      await new Promise<void>((resolve) => socket.send(text, () => resolve()));
      unflushedReplies -= 1;
      if (unflushedReplies === 0) socket.resume();
    },
  };
}

/** Up to here one copy and one write are cheaper than two writes. */
const COPIED_BYTES = 4 * 1024;

/** An unmasked, final text frame (RFC 6455, section 5.2). */
function writeTextFrame(tcp: Socket, head: Buffer, tail: Buffer, written?: () => void): void {
  const length = head.byteLength + tail.byteLength;
  const headerLength = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const isCopied = length <= COPIED_BYTES;
  const frame = Buffer.allocUnsafe(headerLength + (isCopied ? length : head.byteLength));
  frame[0] = 0x81;
  if (headerLength === 2) {
    frame[1] = length;
  } else if (headerLength === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  head.copy(frame, headerLength);
  if (isCopied) {
    tail.copy(frame, headerLength + head.byteLength);
    tcp.write(frame, written);
  } else {
    tcp.cork();
    tcp.write(frame);
    tcp.write(tail, written);
    tcp.uncork();
  }
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
    if (!hasAnswered && !isReading) {
      // After a pause of the whole process timers come before the answers that have arrived meanwhile.
      setImmediate(() => {
        if (!hasAnswered) socket.terminate();
      });
      return;
    }
    hasAnswered = false;
    flushedBefore = flushed;
    if (socket.readyState === socket.OPEN) socket.ping();
  }, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
