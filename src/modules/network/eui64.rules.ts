import ipaddr from 'ipaddr.js';

/**
 * The IPv6 address that a host makes from its MAC in a /64 (RFC 4291, appendix A): the universal/local bit is turned
 * over and ff:fe stands in the middle.
 */
export function eui64(subnet6: string, mac: string): string {
  const [prefix] = ipaddr.IPv6.parseCIDR(subnet6);
  const octets = mac.split(':').map((octet) => Number.parseInt(octet, 16));
  if (octets.length !== 6 || octets.some((octet) => !(octet >= 0 && octet <= 255)))
    throw new RangeError(`No MAC: ${mac}`);
  const [a, b, c, d, e, f] = octets as [number, number, number, number, number, number];
  const host = [a ^ 0x02, b, c, 0xff, 0xfe, d, e, f];
  return new ipaddr.IPv6([...prefix.toByteArray().slice(0, 8), ...host]).toString();
}
