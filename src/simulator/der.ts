/**
 * The little of ASN.1 DER that a self-signed certificate needs. Node can read certificates but not make them, and a
 * dependency or an `openssl` binary for one certificate is not worth it.
 */
export type Der = Buffer;

/** One element: tag, definite length, content. */
export function element(tag: number, content: Buffer): Der {
  return Buffer.concat([Buffer.from([tag]), lengthOctets(content.length), content]);
}

/** SEQUENCE. */
export function sequence(...items: Der[]): Der {
  return element(0x30, Buffer.concat(items));
}

/** SET of one. */
export function setOf(item: Der): Der {
  return element(0x31, item);
}

/** Non-negative INTEGER from its big-endian bytes. */
export function integer(bytes: Buffer): Der {
  // A leading bit of 1 would make it negative.
  return element(0x02, ((bytes[0] ?? 0) & 0x80) === 0 ? bytes : Buffer.concat([Buffer.from([0]), bytes]));
}

/** OBJECT IDENTIFIER from its dotted form. */
export function objectIdentifier(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** UTF8String. */
export function utf8String(text: string): Der {
  return element(0x0c, Buffer.from(text, 'utf8'));
}

/** UTCTime; good until 2049. */
export function utcTime(date: Date): Der {
  const digits = date.toISOString().replace(/\D/g, '').slice(2, 14);
  return element(0x17, Buffer.from(`${digits}Z`, 'ascii'));
}

/** BIT STRING of whole octets. */
export function bitString(bytes: Buffer): Der {
  return element(0x03, Buffer.concat([Buffer.from([0]), bytes]));
}

function lengthOctets(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) octets.unshift(rest & 0xff);
  return Buffer.from([0x80 | octets.length, ...octets]);
}

function base128(value: number): number[] {
  const octets = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) octets.unshift(0x80 | (rest & 0x7f));
  return octets;
}
