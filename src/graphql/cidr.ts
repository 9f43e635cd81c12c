import ipaddr from 'ipaddr.js';

/** ipaddr.js takes `/024` for 24; PostgreSQL and Ganeti do not. */
const CANONICAL_PREFIX = /\/(0|[1-9]\d{0,2})$/;

/**
 * Whether `text` is an IPv4 address in four decimal parts and a prefix length, `10.0.0.0/24`. Whether the address is
 * the network's own (no host bits) is for the service to say.
 */
export function isCidrV4(text: string): boolean {
  return CANONICAL_PREFIX.test(text) && ipaddr.IPv4.isValidCIDRFourPartDecimal(text);
}

/** Whether `text` is an IPv6 address without a zone and a prefix length, `2001:db8::/64`. */
export function isCidrV6(text: string): boolean {
  return CANONICAL_PREFIX.test(text) && !text.includes('%') && ipaddr.IPv6.isValidCIDR(text);
}
