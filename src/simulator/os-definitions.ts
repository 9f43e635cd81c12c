import { request } from 'undici';
import type { OpcodeContext } from './opcode.ts';

/** How an OS script ended: null for well, or the exit code and the last lines of its log. */
export type ScriptFailure = { exitCode: number; lastLines: string } | null;

/** An OS definition: its variants, the parameters it declares (null: any), and its create script. */
export interface OsDefinition {
  readonly name: string;
  readonly variants: readonly string[];
  readonly parameters: readonly string[] | null;
  create(
    instanceName: string,
    parameters: Readonly<Record<string, string>>,
    context: OpcodeContext,
  ): Promise<ScriptFailure>;
}

const IMAGE_PARAMETERS = [
  'img_id',
  'img_format',
  'img_password',
  'config_url',
  'progress_url',
  'progress_step_seconds',
  'sleep_seconds',
  'fail',
];
const PERCENTS = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100];
const FAILS_AT = 30;
// Ten steps of 0.7 s and Ganeti's own phases are a build of about 8 s.
const DEFAULT_STEP_SECONDS = 0.7;
const REPORT_TIMEOUT_MS = 5_000;

/** The OS definitions of a cluster: `simimage`, and the two of the real lab so that one suite of tests fits both. */
export const OS_DEFINITIONS: readonly OsDefinition[] = [
  imageOs('simimage', null),
  imageOs('labimage', IMAGE_PARAMETERS),
  {
    name: 'labfail',
    variants: [],
    parameters: [],
    create: async () => ({
      exitCode: 3,
      lastLines: 'labfail: unpacking\nlabfail: last lines: no space left on the imaginary device',
    }),
  },
];

/** The definition an `os_type` names (`name+variant`, or the bare name of one without variants), or what is wrong with it. */
export function findOs(osType: string): OsDefinition | string {
  const [name = '', variant] = osType.split('+', 2);
  const definition = OS_DEFINITIONS.find((candidate) => candidate.name === name);
  if (definition === undefined) return `Directory for OS ${name} not found in search path`;
  if (variant === undefined && definition.variants.length > 0) return `OS name '${name}' must include a variant`;
  if (variant !== undefined && !definition.variants.includes(variant)) {
    return `OS '${name}' does not support variant '${variant}'`;
  }
  return definition;
}

/** Every name `/2/os` lists. */
export function osNames(): string[] {
  return OS_DEFINITIONS.flatMap(({ name, variants }) =>
    variants.length === 0 ? [name] : variants.map((variant) => `${name}+${variant}`),
  ).sort();
}

// Deploys nothing, and reports real progress over real HTTP to `progress_url`. A lost report never fails a build.
function imageOs(name: string, parameters: readonly string[] | null): OsDefinition {
  return {
    name,
    variants: ['default'],
    parameters,
    async create(instanceName, osparams, { clock }) {
      const lines = [
        `${name}: building ${instanceName} from '${osparams.img_id ?? ''}' (${osparams.img_format ?? ''})`,
      ];
      const tell = (message: string): Promise<void> =>
        report(osparams.progress_url, { message, level: 'INFO', source: name });
      await tell(`build of ${instanceName} begins`);
      if (osparams.config_url) await send(osparams.config_url);
      const stepMs = seconds(osparams.progress_step_seconds, DEFAULT_STEP_SECONDS) * 1000;
      for (const percent of PERCENTS) {
        lines.push(`${name}: ${percent} %`);
        await report(osparams.progress_url, { progress: percent });
        if (percent === FAILS_AT && osparams.fail === 'yes') {
          await tell(`build of ${instanceName} fails as asked`);
          lines.push(`${name}: cannot deploy the image: told to fail (fail=yes)`);
          return { exitCode: 3, lastLines: lines.slice(-20).join('\n') };
        }
        if (percent < 100) await clock.pause(stepMs);
      }
      await clock.pause(seconds(osparams.sleep_seconds, 0) * 1000);
      await tell(`build of ${instanceName} is done`);
      return null;
    },
  };
}

function seconds(text: string | undefined, otherwise: number): number {
  const value = Number(text);
  return text === undefined || !Number.isFinite(value) ? otherwise : value;
}

async function report(url: string | undefined, body: unknown): Promise<void> {
  if (url) await send(url, JSON.stringify(body));
}

async function send(url: string, body?: string): Promise<void> {
  try {
    const reply = await request(url, {
      ...(body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
      // A script is a process that ends: it keeps no connection open, and neither do we.
      reset: true,
      signal: AbortSignal.timeout(REPORT_TIMEOUT_MS),
    });
    await reply.body.dump();
  } catch {
    // The network to whoever listens may be down.
  }
}
