import { BlockList, isIP } from 'node:net'

/** Whether an address is public. Private, local and special ranges are not. */
export function isPublicAddress(address: string): boolean {
  const plain = unmapped(address)
  const family = isIP(plain)
  if (family === 0) return false
  return !NOT_PUBLIC.check(plain, family === 6 ? 'ipv6' : 'ipv4')
}

/** RFC 6890 and its successors. One bad address among good ones refuses them all: nobody honest mixes them. */
const NOT_PUBLIC_RANGES = [
  ['0.0.0.0', 8, 'ipv4'], // this network
  ['10.0.0.0', 8, 'ipv4'], // private
  ['100.64.0.0', 10, 'ipv4'], // carrier-grade NAT
  ['127.0.0.0', 8, 'ipv4'], // loopback
  ['169.254.0.0', 16, 'ipv4'], // link-local, and the clouds' metadata
  ['172.16.0.0', 12, 'ipv4'], // private
  ['192.0.0.0', 24, 'ipv4'], // protocol assignments
  ['192.0.2.0', 24, 'ipv4'], // documentation
  ['192.88.99.0', 24, 'ipv4'], // 6to4 relays
  ['192.168.0.0', 16, 'ipv4'], // private
  ['198.18.0.0', 15, 'ipv4'], // benchmarks
  ['198.51.100.0', 24, 'ipv4'], // documentation
  ['203.0.113.0', 24, 'ipv4'], // documentation
  ['224.0.0.0', 3, 'ipv4'], // multicast, reserved, broadcast
  ['::', 96, 'ipv6'], // unspecified, loopback, IPv4-compatible
  ['::ffff:0:0:0', 96, 'ipv6'], // translated IPv4
  ['64:ff9b::', 96, 'ipv6'], // NAT64 leads to any IPv4 address
  ['64:ff9b:1::', 48, 'ipv6'], // local NAT64
  ['100::', 64, 'ipv6'], // discard
  ['2001::', 23, 'ipv6'], // Teredo and other protocol assignments
  ['2001:db8::', 32, 'ipv6'], // documentation
  ['2002::', 16, 'ipv6'], // 6to4 carries an IPv4 address
  ['3fff::', 20, 'ipv6'], // documentation
  ['5f00::', 16, 'ipv6'], // segment routing
  ['fc00::', 7, 'ipv6'], // unique local, and the metadata of EC2
  ['fe80::', 9, 'ipv6'], // link-local, site-local
  ['ff00::', 8, 'ipv6'], // multicast
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
