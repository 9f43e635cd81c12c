import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isIPv4, isIPv6 } from 'node:net';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { ensureDataDir } from './database/embedded/home.ts';

/** An address to listen on; `host` is without brackets, `port` 0 lets the system choose. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** All problems of the environment at once; values are not repeated, since some are secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The environment is not usable:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);

const boolean = z
  .string()
  .toLowerCase()
  .refine((value) => ['true', 'false', '1', '0'].includes(value), 'must be true or false')
  .transform((value) => value === 'true' || value === '1');

const matching = (pattern: RegExp, problem: string) => z.string().regex(pattern, problem);

const url = (protocols: readonly string[], problem: string) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), problem);

const listenAddress = z.string().transform((value, context): ListenAddress => {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(value) ?? [];
  const host = bracketed ?? plain;
  if (host !== undefined && Number(port) <= 65_535 && (bracketed === undefined || isIPv6(bracketed))) {
    return { host, port: Number(port) };
  }
  context.addIssue({ code: 'custom', message: 'must be host:port, an IPv6 address in brackets' });
  return z.NEVER;
});

const jsonObject = z.string().transform((value, context): Readonly<Record<string, unknown>> => {
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  } catch {}
  context.addIssue({ code: 'custom', message: 'must be a JSON object, such as {"disk_template": "plain"}' });
  return z.NEVER;
});

const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** Every variable that is read, with its grammar. `.env.example` lists the same, which a test checks. */
const variables = {
  HOST: matching(/^[A-Za-z0-9.:_-]+$/, 'must be an address or a host name, without brackets').default('127.0.0.1'),
  PORT: integer(0, 65_535).default(4000),
  DATABASE_URL: url(
    ['postgres:', 'postgresql:'],
    'must be postgresql://user:password@host:port/database (percent-encode what is special in the password)',
  ).optional(),
  DATA_DIR: z.string().default('.data'),
  SIMULATED_CLUSTERS: integer(0, 100).optional(),
  CALLBACK_URL: url(['http:', 'https:'], 'must be an http or https URL')
    .refine((value) => !/[?#]/.test(value), 'must have neither query nor fragment')
    .transform((value) => value.replace(/\/+$/, ''))
    .optional(),
  CALLBACK_LISTEN: listenAddress.optional(),
  AUTH_MODE: z.literal('development', 'only "development" exists yet').optional(),
  SECRET_KEY: z.string().min(16, 'must have at least 16 characters, such as from: openssl rand -base64 32').optional(),
  GANETI_PREFIX: matching(/^[a-z0-9]{1,16}-$/, 'must be 1 to 16 lower-case letters or digits and a dash').default(
    'snf-',
  ),
  GANETI_CREATE_DEFAULTS: jsonObject.default({}),
  GANETI_DRY_RUN: boolean.default(false),
  DEFAULT_BRIDGE: matching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,14}$/, 'must be the name of a network device').default('br0'),
  // The second digit is even: an odd one makes multicast addresses.
  DEFAULT_MAC_PREFIX: matching(/^[0-9a-f][02468ace]:[0-9a-f]{2}:[0-9a-f]$/, 'must look like aa:00:0').default(
    'aa:00:0',
  ),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
  POLL_BUSY_MS: integer(50, 60_000).default(1_000),
  POLL_IDLE_MS: integer(50, 600_000).default(5_000),
  RAPI_TIMEOUT_MS: integer(100, 300_000).default(15_000),
  SETTLE_MS: integer(100, 600_000).optional(),
  SIMULATOR_SPEED: matching(/^\d+(\.\d+)?$/, 'must be a number above 0')
    .transform(Number)
    .refine((value) => value > 0, 'must be a number above 0')
    .default(1),
  CHANGES_KEEP_HOURS: integer(1, 8_760).default(24),
  CHANGES_KEEP_ROWS: integer(1_000, 1_000_000_000).default(1_000_000),
};

/** The names of all environment variables that are read. */
export const CONFIG_VARIABLES: readonly string[] = Object.keys(variables);

type Parsed = { [Name in keyof typeof variables]: z.output<(typeof variables)[Name]> };

export type Config = ReturnType<typeof parseConfig>;

/** The configuration with its secret, which may have been made at the first start. */
export type LoadedConfig = Config & { readonly secretKey: string };

/**
 * Reads the environment into a frozen configuration. Pure: touches neither files nor `process.env`.
 * An empty variable counts as unset.
 *
 * @throws ConfigError with every problem
 */
export function parseConfig(env: Readonly<Record<string, string | undefined>>) {
  const problems: string[] = [];
  const parsed = {} as Record<string, unknown>;
  for (const [name, schema] of Object.entries(variables)) {
    const result = (schema as z.ZodType).safeParse(env[name]?.trim() || undefined);
    if (result.success) parsed[name] = result.data;
    else problems.push(...result.error.issues.map((issue) => `${name} ${issue.message}`));
  }
  const value = parsed as Parsed;
  const rapiTimeoutMs = value.RAPI_TIMEOUT_MS;
  const settleMs = value.SETTLE_MS ?? rapiTimeoutMs + 10_000;
  if (value.HOST !== undefined && !isLoopback(value.HOST)) {
    problems.push(
      'HOST must be a loopback address (127.0.0.1, ::1, localhost): with AUTH_MODE=development, the only mode yet, ' +
        'every caller is an administrator',
    );
  }
  if (env.DATABASE_URL?.trim() && !env.SECRET_KEY?.trim()) {
    problems.push(
      'SECRET_KEY is required with DATABASE_URL: it encrypts what is stored there, so all replicas share it',
    );
  }
  if (settleMs < rapiTimeoutMs) {
    problems.push('SETTLE_MS must not be below RAPI_TIMEOUT_MS: an answer may come until then');
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const callbackAddress = value.CALLBACK_LISTEN ?? { host: value.HOST, port: value.PORT };
  return Object.freeze({
    host: value.HOST,
    port: value.PORT,
    /** Undefined: the embedded PostgreSQL. */
    databaseUrl: value.DATABASE_URL,
    /** Absolute. */
    dataDir: path.resolve(value.DATA_DIR),
    simulatedClusters: value.SIMULATED_CLUSTERS ?? (value.DATABASE_URL === undefined ? 1 : 0),
    /** Base of the progress URLs, without a trailing slash; built from the port as configured, also when that is 0. */
    callbackUrl: value.CALLBACK_URL ?? httpUrl(callbackAddress),
    /** Whether `callbackUrl` was only derived, and so follows the port that the system chose. */
    isCallbackUrlDerived: value.CALLBACK_URL === undefined,
    callbackListen: value.CALLBACK_LISTEN,
    authMode: value.AUTH_MODE ?? ('development' as const),
    /** Undefined only with the embedded database, see {@link loadConfig}. */
    secretKey: value.SECRET_KEY,
    ganetiPrefix: value.GANETI_PREFIX,
    ganetiCreateDefaults: Object.freeze(value.GANETI_CREATE_DEFAULTS),
    ganetiDryRun: value.GANETI_DRY_RUN,
    defaultBridge: value.DEFAULT_BRIDGE,
    defaultMacPrefix: value.DEFAULT_MAC_PREFIX,
    logLevel: value.LOG_LEVEL,
    pollBusyMs: value.POLL_BUSY_MS,
    pollIdleMs: value.POLL_IDLE_MS,
    rapiTimeoutMs,
    settleMs,
    /** How many simulated seconds pass in one. */
    simulatorSpeed: value.SIMULATOR_SPEED,
    changesKeepHours: value.CHANGES_KEEP_HOURS,
    changesKeepRows: value.CHANGES_KEEP_ROWS,
  });
}

/**
 * The configuration of this process: its environment, completed from the file `.env` of the working directory when
 * there is one. For the embedded database a missing SECRET_KEY is made and kept in `DATA_DIR/secret-key` (0600).
 *
 * @throws ConfigError with every problem
 */
export function loadConfig(): LoadedConfig {
  const file = path.resolve('.env');
  const kept = existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
  const config = parseConfig({ ...kept, ...process.env });
  return Object.freeze({ ...config, secretKey: config.secretKey ?? keptSecret(config.dataDir) });
}

/** `http://host:port`, with an IPv6 address in brackets. */
export function httpUrl({ host, port }: ListenAddress): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Whether only this machine can reach a listener on `host`: `localhost`, `::1` or 127.0.0.0/8 in full. */
export function isLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

function keptSecret(dataDir: string): string {
  const file = path.join(dataDir, 'secret-key');
  if (!existsSync(file)) {
    ensureDataDir(dataDir);
    writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  }
  return readFileSync(file, 'utf8').trim();
}
