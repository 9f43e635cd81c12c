/** Why an address could not be had; the text is Ganeti's. */
export class AddressPoolError extends Error {
  override readonly name = 'AddressPoolError';
}

/** The number of an IPv4 address; null when the text is none. */
export function addressNumber(address: string): number | null {
  const parts = address.split('.');
  if (parts.length !== 4) return null;
  let value = 0;
  for (const part of parts) {
    if (!/^\d{1,3}$/.test(part) || Number(part) > 255) return null;
    value = value * 256 + Number(part);
  }
  return value;
}

/** The address of a number. */
export function addressText(value: number): string {
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255].join('.');
}

/** A CIDR taken apart; null when it is none. Host bits are allowed here. */
export function parseCidr(cidr: string): { address: number; prefix: number; base: number; size: number } | null {
  const [text = '', prefixText = ''] = cidr.split('/');
  const address = addressNumber(text);
  const prefix = Number(prefixText);
  if (address === null || !/^\d{1,2}$/.test(prefixText) || prefix > 32) return null;
  const size = 2 ** (32 - prefix);
  return { address, prefix, base: address - (address % size), size };
}

/**
 * The addresses of one network: two maps, as in Ganeti. External reservations are made by hand (and for the network,
 * gateway and broadcast address); instance reservations belong to NICs. An address may be in both.
 */
export class AddressPool {
  readonly #cidr: string;
  readonly #base: number;
  readonly #size: number;
  readonly #external = new Set<number>();
  readonly #instances = new Set<number>();

  /** Throws {@link AddressPoolError} for a size Ganeti refuses (above /16, below /30) or a gateway outside. */
  constructor(cidr: string, gateway: string | null) {
    const parsed = parseCidr(cidr);
    if (parsed === null) throw new AddressPoolError(`${cidr} is no network`);
    if (parsed.prefix < 16) {
      throw new AddressPoolError(
        `A big network with ${parsed.size} host(s) is currently not supported. please specify at most a /16 network`,
      );
    }
    if (parsed.prefix > 30) {
      throw new AddressPoolError(
        `A network with only ${parsed.size} host(s) is too small, please specify at least a /30 network`,
      );
    }
    this.#cidr = cidr;
    this.#base = parsed.base;
    this.#size = parsed.size;
    for (const edge of [0, this.#size - 1]) this.#external.add(edge);
    if (gateway !== null) this.reserveExternal(gateway);
  }

  contains(address: string): boolean {
    const value = addressNumber(address);
    return value !== null && value >= this.#base && value < this.#base + this.#size;
  }

  isFree(address: string): boolean {
    const index = this.#index(address);
    return !this.#external.has(index) && !this.#instances.has(index);
  }

  reserveExternal(address: string): void {
    const index = this.#index(address);
    if (this.#external.has(index)) throw new AddressPoolError(`IP ${address} is already externally reserved`);
    this.#external.add(index);
  }

  releaseExternal(address: string): void {
    if (!this.#external.delete(this.#index(address))) {
      throw new AddressPoolError(`IP ${address} is not externally reserved`);
    }
  }

  /** Takes an address for a NIC; false when it is not free or not of this network. */
  reserveForNic(address: string): boolean {
    if (!this.contains(address) || !this.isFree(address)) return false;
    this.#instances.add(this.#index(address));
    return true;
  }

  /** Marks an address as a NIC's whatever it is: for NICs read back from a file. */
  restoreNic(address: string): void {
    if (this.contains(address)) this.#instances.add(this.#index(address));
  }

  releaseFromNic(address: string): void {
    if (this.contains(address)) this.#instances.delete(this.#index(address));
  }

  /** The lowest free address, taken for a NIC; null when the pool is full. */
  takeLowest(): string | null {
    for (let index = 0; index < this.#size; index += 1) {
      if (this.#external.has(index) || this.#instances.has(index)) continue;
      this.#instances.add(index);
      return addressText(this.#base + index);
    }
    return null;
  }

  /** One character for each address: `X` reserved, `.` free. */
  map(): string {
    const marks = new Array<string>(this.#size).fill('.');
    for (const index of this.#external) marks[index] = 'X';
    for (const index of this.#instances) marks[index] = 'X';
    return marks.join('');
  }

  reservedCount(): number {
    let both = 0;
    for (const index of this.#instances) if (this.#external.has(index)) both += 1;
    return this.#external.size + this.#instances.size - both;
  }

  get size(): number {
    return this.#size;
  }

  /** The external reservations, in order. */
  external(): string[] {
    return [...this.#external].sort((one, other) => one - other).map((index) => addressText(this.#base + index));
  }

  #index(address: string): number {
    const value = addressNumber(address);
    if (value === null || !this.contains(address)) {
      throw new AddressPoolError(`${this.#cidr} does not contain ${address}`);
    }
    return value - this.#base;
  }
}
