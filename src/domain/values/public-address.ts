import { BlockList, isIP } from 'node:net'

/** Whether an address is public. Private, local and special ranges are not. */
export function isPublicAddress(address: string): boolean {
  const plain = unmapped(address)
  const family = isIP(plain)
  if (family === 4) return !NOT_PUBLIC.check(plain, 'ipv4')
  return family === 6 && GLOBAL_IPV6.check(plain, 'ipv6') && !NOT_PUBLIC.check(plain, 'ipv6')
}

/**
 * Whether a host name is one that never leads to a public place: localhost, the names of private networks (RFC 6762,
 * RFC 8375, and `internal`, which ICANN keeps for them), and names of one word, which a search list completes.
 */
export function isPrivateName(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  return !name.includes('.') || PRIVATE_SUFFIXES.some((suffix) => name.endsWith(suffix))
}

const PRIVATE_SUFFIXES = ['.localhost', '.local', '.internal', '.home.arpa'] as const

/** IANA gives out public IPv6 addresses from this range only, so everything else is closed without a row of its own. */
const GLOBAL_IPV6 = new BlockList()
GLOBAL_IPV6.addSubnet('2000::', 3, 'ipv6')

/** The special-purpose registries of IANA (RFC 6890), and addresses that clouds give to their own machinery. */
const NOT_PUBLIC_RANGES = [
  ['0.0.0.0', 8, 'ipv4'], // this network
  ['10.0.0.0', 8, 'ipv4'], // private
  ['100.64.0.0', 10, 'ipv4'], // carrier-grade NAT
  ['127.0.0.0', 8, 'ipv4'], // loopback
  ['169.254.0.0', 16, 'ipv4'], // link-local, and the clouds' metadata
  ['168.63.129.16', 32, 'ipv4'], // Azure's machinery: agent, DNS, health checks
  ['172.16.0.0', 12, 'ipv4'], // private
  ['192.0.0.0', 24, 'ipv4'], // protocol assignments
  ['192.0.2.0', 24, 'ipv4'], // documentation
  ['192.88.99.0', 24, 'ipv4'], // 6to4 relays
  ['192.168.0.0', 16, 'ipv4'], // private
  ['198.18.0.0', 15, 'ipv4'], // benchmarks
  ['198.51.100.0', 24, 'ipv4'], // documentation
  ['203.0.113.0', 24, 'ipv4'], // documentation
  ['224.0.0.0', 3, 'ipv4'], // multicast, reserved, broadcast
  ['2001::', 23, 'ipv6'], // Teredo and other protocol assignments
  ['2001:db8::', 32, 'ipv6'], // documentation
  ['2002::', 16, 'ipv6'], // 6to4 carries an IPv4 address
  ['3fff::', 20, 'ipv6'], // documentation
] as const

const NOT_PUBLIC = new BlockList()
for (const [network, bits, family] of NOT_PUBLIC_RANGES) NOT_PUBLIC.addSubnet(network, bits, family)

/** `::ffff:10.0.0.1` in any spelling is `10.0.0.1`. A BlockList row for it would match all of IPv4. */
function unmapped(address: string): string {
  if (isIP(address) !== 6 || address.includes('%')) return isIP(address) === 4 ? address : ''
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? []
  if (high === undefined || low === undefined) return canonical
  const bits = Number.parseInt(high, 16) * 0x10000 + Number.parseInt(low, 16)
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.')
}
