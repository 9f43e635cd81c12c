import type { StreamEvent } from '../../changes/index.ts';
import type { PrismaClient } from '../../database/prisma.ts';
import { derivedStream } from '../../graphql/derived-stream.ts';

const PROGRESS = {
  operState: true,
  buildPercentage: true,
  buildPhase: true,
  buildMessage: true,
  buildUpdatedAt: true,
  version: true,
} as const;

/** How far a build is, as of some version of its machine. */
export type BuildProgressReading = NonNullable<Awaited<ReturnType<typeof readProgress>>>;

function readProgress(prisma: PrismaClient, id: number) {
  return prisma.virtualMachine.findUnique({ where: { id }, select: PROGRESS });
}

/**
 * How far a build is, first now and then with each step; ends behind the first reading in which the machine is no longer
 * being built, so that the last one says how it ended.
 *
 * @param events the machine's own stream, which says when to look.
 */
export function streamBuildProgress(
  prisma: PrismaClient,
  id: number,
  events: AsyncIterableIterator<StreamEvent>,
): AsyncIterableIterator<BuildProgressReading> {
  return derivedStream(events, readingsOf(prisma, id, events));
}

async function* readingsOf(
  prisma: PrismaClient,
  id: number,
  events: AsyncIterableIterator<StreamEvent>,
): AsyncGenerator<BuildProgressReading, void, undefined> {
  let sent: BuildProgressReading | null = null;
  for await (const event of events) {
    const reading: BuildProgressReading | null = await readingAt(prisma, id, event);
    if (reading === null) return;
    // A reading may be ahead of its event; the events up to it then have nothing new.
    if (sent === null || isStep(sent, reading)) {
      sent = reading;
      yield reading;
    }
    if (reading.operState !== 'BUILD') return;
  }
}

function isStep(sent: BuildProgressReading, reading: BuildProgressReading): boolean {
  if (reading.version <= sent.version) return false;
  return (
    reading.operState !== sent.operState ||
    reading.buildPercentage !== sent.buildPercentage ||
    reading.buildPhase !== sent.buildPhase ||
    reading.buildMessage !== sent.buildMessage
  );
}

const readings = new WeakMap<StreamEvent, Promise<BuildProgressReading | null>>();

/** N streams that are told of one event read the machine once, and get the same object, which can be sent as one. */
function readingAt(prisma: PrismaClient, id: number, event: StreamEvent): Promise<BuildProgressReading | null> {
  let reading = readings.get(event);
  if (!reading) {
    reading = readProgress(prisma, id);
    readings.set(event, reading);
  }
  return reading;
}
