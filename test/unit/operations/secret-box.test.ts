import { createHmac, hkdfSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SecretBox } from '../../../src/operations/secret-box.ts';

const KEY = 'a key of the deployment';
const box = new SecretBox(KEY);

describe('encryption', () => {
  it('gives back any text, under the same key in another process', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(new SecretBox(KEY).decrypt('rapi', box.encrypt('rapi', text))).toBe(text);
      }),
      { numRuns: 50 },
    );
  });

  it('never gives one text twice: equal passwords do not show', () => {
    expect(box.encrypt('rapi', 'password')).not.toBe(box.encrypt('rapi', 'password'));
  });

  it('does not hold the text', () => {
    expect(Buffer.from(box.encrypt('rapi', 'password'), 'base64').includes('password')).toBe(false);
  });

  it('refuses another purpose and another key', () => {
    const cipher = box.encrypt('rapi', 'password');
    expect(() => box.decrypt('image-secrets', cipher)).toThrow();
    expect(() => new SecretBox('another key of sixteen').decrypt('rapi', cipher)).toThrow();
  });

  it('refuses a text in which any one bit was changed', () => {
    const bytes = Buffer.from(box.encrypt('rapi', 'secret'), 'base64');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(() => box.decrypt('rapi', changed.toString('base64'))).toThrow();
    }
  });

  it('refuses a text cut short anywhere, also where a shorter tag would still be right', () => {
    const bytes = Buffer.from(box.encrypt('rapi', ''), 'base64');
    for (let length = 0; length < bytes.length; length += 1) {
      expect(() => box.decrypt('rapi', bytes.subarray(0, length).toString('base64'))).toThrow();
    }
  });

  it.each([[''], ['no base64 at all'], ['AAAA']])('refuses %j', (text) => {
    expect(() => box.decrypt('rapi', text)).toThrow();
  });

  it('needs a key of 16 characters', () => {
    expect(() => new SecretBox('fifteen letters')).toThrow(RangeError);
    expect(new SecretBox('sixteen letters!')).toBeInstanceOf(SecretBox);
  });
});

describe('HMAC', () => {
  it('is HMAC-SHA-256 under the purpose’s own key', () => {
    const key = Buffer.from(hkdfSync('sha256', KEY, 'ganeti-graphql', 'cursor', 32));
    const expected = createHmac('sha256', key).update('text').digest('hex');
    expect(box.hmac('cursor', 'text')).toBe(expected);
    expect(box.hmac('cursor', 'text', 128)).toBe(expected.slice(0, 32));
    expect(box.hmac('token', 'text')).not.toBe(expected);
  });
});

describe('tokens', () => {
  const ID = '0d9f3a52-6a4e-4b5a-9d3e-3f1c3a1f9b10';
  const token = box.token('progress', ID);

  it('are the id and 128 bits, the same in every process: they are derived, never stored', () => {
    expect(token).toMatch(/^0d9f3a52-6a4e-4b5a-9d3e-3f1c3a1f9b10\.[0-9a-f]{32}$/);
    expect(new SecretBox(KEY).token('progress', ID)).toBe(token);
    expect(box.verifyToken('progress', token)).toBe(ID);
  });

  it('give back any id', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), (id) => {
        expect(box.verifyToken('progress', box.token('progress', id))).toBe(id);
      }),
      { numRuns: 50 },
    );
  });

  it.each<[forgery: string, token: string]>([
    ['of another purpose', box.token('config', ID)],
    ['of another deployment', new SecretBox('another key of sixteen').token('progress', ID)],
    ['with another id', token.replace('0d9f', '0d9e')],
    ['with a changed digit', token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')],
    ['in upper case', ID + token.slice(ID.length).toUpperCase().replace('.', '.A').slice(0, 33)],
    ['cut short', token.slice(0, -1)],
    ['drawn out', `${token}0`],
    ['without its HMAC', `${ID}.`],
    ['without a dot', ID],
    ['without an id', `.${box.hmac('progress', '', 128)}`],
    ['that is empty', ''],
    ['with more bytes than characters', `${token.slice(0, -1)}é`],
  ])('a token %s is none', (_forgery, forged) => {
    expect(box.verifyToken('progress', forged)).toBeNull();
  });
});
