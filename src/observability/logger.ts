import { type DestinationStream, type Logger, pino } from 'pino';
import { maskPatterns, maskSecretNames, maskValues, SHORTEST_MASKED_VALUE } from './mask.ts';

export type { Logger } from 'pino';

/** How {@link createLogger} is set up. */
export interface LoggerOptions {
  /** The lowest level written; `info` when absent. */
  level?: string;
  /** Where the JSON lines go; standard output when absent. */
  destination?: DestinationStream;
}

/** The values no line may contain, each also as it looks inside a JSON string. */
const registered = new Set<string>();

/**
 * Makes every later log line of this process show `***` instead of `value`: RAPI passwords, the secret key, parameters of
 * an image that are declared secret. Values under six characters are ignored, they would blank out ordinary words.
 *
 * @returns forgets the value again, for example when credentials were replaced.
 */
export function registerSecret(value: string): () => void {
  if (value.length < SHORTEST_MASKED_VALUE) return () => {};
  const escaped = JSON.stringify(value).slice(1, -1);
  registered.add(value);
  registered.add(escaped);
  return () => {
    registered.delete(value);
    registered.delete(escaped);
  };
}

/** `text` without registered secrets, callback tokens, URL passwords and Authorization credentials. */
export function maskSecrets(text: string): string {
  const masked = maskPatterns(text);
  return registered.size === 0 ? masked : maskValues(masked, registered);
}

/**
 * A logger that writes one JSON object per line. Secrets are masked twice: by name, while the object still has names, and
 * by value and shape on the finished line, which also covers messages and stack traces.
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  const settings = {
    level: options.level ?? 'info',
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (object: Record<string, unknown>) => maskSecretNames(object) as Record<string, unknown>,
    },
    serializers: {
      err: (error: Error) => maskSecretNames({ ...pino.stdSerializers.err(error) }),
    },
    hooks: { streamWrite: maskSecrets },
  };
  return options.destination ? pino(settings, options.destination) : pino(settings);
}
