import { describe, expect, it } from 'vitest';
import { checkGanetiText, checkName } from '../../../../src/modules/catalog/text.rules.ts';
import { failure } from '../failure.ts';

describe('a name that stays with us', () => {
  it.each<[rule: string, name: string]>([
    ['one letter', 'a'],
    ['255 characters', 'x'.repeat(255)],
    ['255 characters that are two units each', '🦊'.repeat(255)],
    ['any script', 'Ιστοσελίδα 東京 أثينا'],
    ['an emoji of several parts', 'family 👩‍👩‍👧'],
    ['punctuation', `"quoted" <b> 'x' %s {{y}} -- ;`],
  ])('%s', (_rule, name) => {
    expect(checkName(name, ['name'])).toBe(name);
  });

  it('two spellings of one name are one name', () => {
    expect(checkName('cafe\u0301', ['name'])).toBe('caf\u00e9');
    expect(checkName('\u212b', ['name'])).toBe('\u00c5');
  });

  it.each<[rule: string, name: string]>([
    ['nothing', ''],
    ['256 characters', 'x'.repeat(256)],
    ['300 characters', 'x'.repeat(300)],
    ['blanks alone', '   '],
    ['a blank in front', ' web'],
    ['a blank behind', 'web '],
    ['a no-break space behind', 'web\u00a0'],
    ['a line break', 'we\nb'],
    ['a tab', 'we\tb'],
    ['NUL, which PostgreSQL cannot keep', 'we\0b'],
    ['an escape', 'we\x1b[31mb'],
    ['a C1 control', 'we\x85b'],
    ['half a character', 'we\ud800b'],
  ])('%s is refused', (_rule, name) => {
    expect(failure(() => checkName(name, ['input', 'name']))).toEqual({
      code: 'INVALID_INPUT',
      path: ['input', 'name'],
    });
  });
});

describe('a text that reaches Ganeti', () => {
  it.each([['a'], [' '], ['~'], [`printable !"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~`], ['x'.repeat(1024)]])('%j', (text) => {
    expect(checkGanetiText(text, ['osType'])).toBe(text);
  });

  it.each<[rule: string, text: string]>([
    ['nothing', ''],
    ['too much', 'x'.repeat(1025)],
    ['a letter beyond ASCII, which is a 500 there and burns a job id', 'debian-größe'],
    ['an emoji', '🦊'],
    ['a line break', 'a\nb'],
    ['NUL', 'a\0b'],
    ['DEL', 'a\x7f'],
    ['a no-break space', 'a\u00a0b'],
  ])('%s is refused', (_rule, text) => {
    expect(failure(() => checkGanetiText(text, ['osParameters', 'motd']))).toEqual({
      code: 'INVALID_INPUT',
      path: ['osParameters', 'motd'],
    });
  });

  it('has the length that its field allows', () => {
    expect(checkGanetiText('abc', ['format'], 3)).toBe('abc');
    expect(failure(() => checkGanetiText('abcd', ['format'], 3)).path).toEqual(['format']);
  });
});
