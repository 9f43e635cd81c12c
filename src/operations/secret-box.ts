import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Keeps what must never be read from the database alone: RAPI passwords, secret image parameters, callback tokens.
 * AES-256-GCM with a key derived per purpose (HKDF-SHA-256), so that no two uses share one key.
 */
export class SecretBox {
  readonly #secretKey: string;
  readonly #keys = new Map<string, Buffer>();

  /** @param secretKey the deployment's SECRET_KEY, any text of at least 16 characters */
  constructor(secretKey: string) {
    if (secretKey.length < 16) throw new RangeError('SECRET_KEY needs at least 16 characters.');
    this.#secretKey = secretKey;
  }

  /** @returns base64 of iv, tag and cipher text */
  encrypt(purpose: string, plainText: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key(purpose), iv);
    const body = Buffer.concat([cipher.update(plainText, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
  }

  /** @throws Error when the text was made with another key or purpose, or was changed */
  decrypt(purpose: string, cipherText: string): string {
    const bytes = Buffer.from(cipherText, 'base64');
    const iv = bytes.subarray(0, IV_BYTES);
    // The length is named because Node takes a shorter tag otherwise, which is easier to guess.
    const decipher = createDecipheriv('aes-256-gcm', this.#key(purpose), iv, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  }

  /** HMAC-SHA-256 as lower-case hex; `bits` cuts it (a multiple of 8). */
  hmac(purpose: string, text: string, bits = 256): string {
    return createHmac('sha256', this.#key(purpose))
      .update(text, 'utf8')
      .digest()
      .subarray(0, bits / 8)
      .toString('hex');
  }

  /** `<id>.<HMAC of it, 128 bits>`: derived, never stored (1-product, CALLBACK_URL). */
  token(purpose: string, id: string): string {
    return `${id}.${this.hmac(purpose, id, 128)}`;
  }

  /** The id inside a token of ours, or null when it is forged or malformed; compares in constant time. */
  verifyToken(purpose: string, token: string): string | null {
    const dot = token.lastIndexOf('.');
    if (dot <= 0) return null;
    const id = token.slice(0, dot);
    const given = Buffer.from(token);
    const expected = Buffer.from(this.token(purpose, id));
    return given.length === expected.length && timingSafeEqual(given, expected) ? id : null;
  }

  #key(purpose: string): Buffer {
    let key = this.#keys.get(purpose);
    if (!key) {
      key = Buffer.from(hkdfSync('sha256', this.#secretKey, 'ganeti-graphql', purpose, 32));
      this.#keys.set(purpose, key);
    }
    return key;
  }
}
