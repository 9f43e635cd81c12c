/** Where a build is; in this order, never back. */
export const BUILD_PHASES = ['QUEUED', 'ALLOCATING', 'DISKS', 'IMAGE', 'BOOTING', 'DONE'] as const;
export type BuildPhase = (typeof BUILD_PHASES)[number];

/** A source's word about a build; a null percentage tells a phase only. */
export interface BuildReport {
  readonly phase: BuildPhase;
  readonly percentage: number | null;
  readonly message: string | null;
}

export function isLaterPhase(phase: BuildPhase, than: BuildPhase): boolean {
  return BUILD_PHASES.indexOf(phase) > BUILD_PHASES.indexOf(than);
}

/** The share of the whole that a phase's lines stand for, when no deployer reports. */
const BANDS: Readonly<Record<BuildPhase, readonly [from: number, to: number]>> = {
  QUEUED: [0, 0],
  ALLOCATING: [5, 10],
  DISKS: [10, 40],
  IMAGE: [40, 90],
  BOOTING: [95, 99],
  DONE: [100, 100],
};

/**
 * With a deployer that reports, its percentages are the bar: the log's phases must stay below its first reports, or
 * the honest 10 % would be hidden behind a guessed 40 %.
 */
const BANDS_BELOW_REPORTS: Readonly<Record<BuildPhase, readonly [from: number, to: number]>> = {
  QUEUED: [0, 0],
  ALLOCATING: [1, 1],
  DISKS: [2, 4],
  IMAGE: [5, 5],
  BOOTING: [95, 99],
  DONE: [100, 100],
};

/** The lines of a create's job log that open a phase, in Ganeti 3.0.2's order (5-ganeti, section 5). */
const PHASE_LINES: readonly (readonly [RegExp, BuildPhase])[] = [
  [/^\* starting instance/, 'BOOTING'],
  [/^\* running the instance OS create scripts/, 'IMAGE'],
  [
    /^\* (disk \d+, size|creating instance disks|wiping instance disks)|^adding disks to cluster config|^ - INFO: (Waiting for instance|Instance .* disks are in sync)/,
    'DISKS',
  ],
  [/Selected nodes for instance|NIC\/\d+ inherits|Chose IP|^adding instance/, 'ALLOCATING'],
];

/** A percentage counts only behind the words of a wipe, a mirror sync or a transfer: other lines bear numbers, too. */
const PERCENT_LINE =
  /(?:- done:|- device disk\/\d+:|\bsent\b.*?,|memory transfer progress:|- progress:)\s*(\d{1,3}(?:\.\d+)?)\s*%/;

/**
 * What the newest lines of a create's job log say about the build.
 * @param hasDeployerReports whether the image's deployer reports its own percentages (the better source)
 * @returns null when no line tells anything
 */
export function readBuildLog(messages: readonly string[], hasDeployerReports: boolean): BuildReport | null {
  const bands = hasDeployerReports ? BANDS_BELOW_REPORTS : BANDS;
  return messages.reduce<BuildReport | null>((report, message) => readLine(report, message, bands), null);
}

function readLine(report: BuildReport | null, message: string, bands: typeof BANDS): BuildReport | null {
  const reached = report?.percentage ?? 0;
  const phase = PHASE_LINES.find(([pattern]) => pattern.test(message))?.[1];
  if (phase !== undefined && (report === null || !isLaterPhase(report.phase, phase))) {
    return { phase, percentage: Math.max(reached, bands[phase][0]), message: cleaned(message) };
  }
  const percent = PERCENT_LINE.exec(message)?.[1];
  if (percent === undefined) return report;
  const within = report?.phase ?? 'DISKS';
  const [from, to] = bands[within];
  const percentage = Math.floor(from + ((to - from) * Math.min(100, Number(percent))) / 100);
  return { phase: within, percentage: Math.max(reached, percentage), message: cleaned(message) };
}

/** Ganeti's bullets and levels are its log's, not ours. */
function cleaned(message: string): string {
  return message.replace(/^(\s*[*-]\s*)+(INFO:\s*)?/, '').trim();
}

/**
 * Reads the number of an HTTP progress report: above 100 is 100, fractions are floored.
 * @returns null for a negative or non-numeric one, which must change nothing (traps 4 and 5)
 */
export function readPercentage(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return null;
  return Math.min(100, Math.floor(value));
}
