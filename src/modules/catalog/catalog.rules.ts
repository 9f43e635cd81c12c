import { SHORTEST_MASKED_VALUE } from '../../observability/mask.ts';
import { InvalidInput, Unsupported } from '../../operations/user-error.ts';
import { checkGanetiText, checkName } from './text.rules.ts';

export interface FlavorInput {
  readonly cpu: number;
  readonly memoryMiB: number;
  readonly diskGiB: number;
  readonly diskTemplate: string;
}

/** Disk templates of Ganeti 3 that a machine's root disk can have here. `ext` needs a provider and is not offered yet. */
const DISK_TEMPLATES = ['plain', 'drbd', 'file', 'sharedfile', 'rbd', 'gluster', 'diskless', 'blockdev'];

/** @returns the flavor's name, which its values make: `C<cpu>R<memory>D<disk><template>` */
export function checkFlavorInput(input: FlavorInput): string {
  requireRange(input.cpu, 1, 1024, 'cpu');
  requireRange(input.memoryMiB, 1, 16 * 1024 * 1024, 'memoryMiB');
  requireRange(input.diskGiB, input.diskTemplate === 'diskless' ? 0 : 1, 1024 * 1024, 'diskGiB');
  if (input.diskTemplate.startsWith('ext'))
    throw new Unsupported('External storage is not offered yet.', ['diskTemplate']);
  if (!DISK_TEMPLATES.includes(input.diskTemplate)) {
    throw new InvalidInput(`A disk template is one of ${DISK_TEMPLATES.join(', ')}.`, ['diskTemplate']);
  }
  return `C${input.cpu}R${input.memoryMiB}D${input.diskGiB}${input.diskTemplate}`;
}

function requireRange(value: number, least: number, most: number, field: string): void {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new InvalidInput(`This is a whole number from ${least} to ${most}.`, [field]);
  }
}

export interface ImageInput {
  readonly name: string;
  readonly osType: string;
  readonly osParameters?: Readonly<Record<string, unknown>> | null | undefined;
  readonly secretParameters?: readonly string[] | null | undefined;
  readonly progressParameter?: string | null | undefined;
  readonly configUrlParameter?: string | null | undefined;
  readonly backendImageId?: string | null | undefined;
  readonly format?: string | null | undefined;
  readonly checksum?: string | null | undefined;
  readonly properties?: Readonly<Record<string, unknown>> | null | undefined;
}

export interface CheckedImage {
  readonly name: string;
  readonly plainParameters: Readonly<Record<string, string>>;
  readonly secretParameters: Readonly<Record<string, string>>;
}

/** An OS parameter's name becomes an environment variable of the OS script (OSP_<NAME>). */
const PARAMETER_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
/** Ganeti's `name` or `name+variant`. */
const OS_TYPE = /^[A-Za-z0-9._-]+(\+[A-Za-z0-9._-]+)?$/;

/** @throws InvalidInput with the field's path; Unsupported for what comes later */
export function checkImageInput(input: ImageInput): CheckedImage {
  const name = checkName(input.name, ['name']);
  if (!OS_TYPE.test(checkGanetiText(input.osType, ['osType'], 128))) {
    throw new InvalidInput('An OS type is a name, or a name and a variant as in debian+default.', ['osType']);
  }
  if (input.configUrlParameter != null) {
    throw new Unsupported('Config URLs are not offered yet.', ['configUrlParameter']);
  }
  if (input.progressParameter != null) requireParameterName(input.progressParameter, ['progressParameter']);
  for (const field of ['backendImageId', 'format', 'checksum'] as const) {
    const value = input[field];
    if (value != null) checkGanetiText(value, [field]);
  }
  const parameters = checkParameters(input.osParameters ?? {});
  const secret = new Set(input.secretParameters ?? []);
  for (const [at, parameter] of (input.secretParameters ?? []).entries()) {
    if (!Object.hasOwn(parameters, parameter)) {
      throw new InvalidInput(`There is no OS parameter "${parameter}" to keep secret.`, [
        'secretParameters',
        String(at),
      ]);
    }
    // Shorter ones could not be masked in a job's log without blanking out ordinary words.
    if ((parameters[parameter] ?? '').length < SHORTEST_MASKED_VALUE) {
      throw new InvalidInput(`A secret has at least ${SHORTEST_MASKED_VALUE} characters.`, ['osParameters', parameter]);
    }
  }
  const split = (isSecret: boolean) =>
    Object.fromEntries(Object.entries(parameters).filter(([parameter]) => secret.has(parameter) === isSecret));
  return { name, plainParameters: split(false), secretParameters: split(true) };
}

function checkParameters(values: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const path = ['osParameters', name];
      requireParameterName(name, path);
      if (typeof value !== 'string') throw new InvalidInput('An OS parameter is a string.', path);
      return [name, value === '' ? '' : checkGanetiText(value, path, 4096)];
    }),
  );
}

function requireParameterName(name: string, path: readonly string[]): void {
  if (!PARAMETER_NAME.test(name)) {
    throw new InvalidInput('An OS parameter’s name has letters, digits and _ only, 64 at most.', path);
  }
}
