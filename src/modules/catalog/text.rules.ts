import { InvalidInput } from '../../operations/user-error.ts';

/**
 * A name that stays with us: 1 to 255 characters of any script, without control characters or blanks at its ends.
 * @returns the name in NFC, so that two spellings of one name cannot both be taken
 */
export function checkName(value: string, path: readonly string[]): string {
  const name = value.normalize('NFC');
  const length = [...name].length;
  if (length === 0 || length > 255) throw new InvalidInput(`A name has 1 to 255 characters, not ${length}.`, path);
  if (name !== name.trim()) throw new InvalidInput('A name has no blanks at its ends.', path);
  if (/\p{Cc}|\p{Cs}/u.test(name)) throw new InvalidInput('A name has no control characters.', path);
  return name;
}

/** A string that reaches Ganeti: printable ASCII, since anything else is a 500 there and burns a job id (5-ganeti, section 2). */
export function checkGanetiText(value: string, path: readonly string[], maxLength = 1024): string {
  if (value.length === 0 || value.length > maxLength) {
    throw new InvalidInput(`This takes 1 to ${maxLength} characters, not ${value.length}.`, path);
  }
  if (!/^[\x20-\x7e]*$/.test(value))
    throw new InvalidInput('This reaches Ganeti and takes printable ASCII only.', path);
  return value;
}
