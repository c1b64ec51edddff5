import { isIP, isIPv4 } from 'node:net'

type Hops = {
  /** The address at the other end of the socket. */
  readonly remote: string | undefined
  /** The header X-Forwarded-For, to which every proxy adds the address of its caller. */
  readonly forwarded: string | readonly string[] | undefined
  /** The number of trusted proxies (BECKON_PROXY_HOPS); a caller may have invented the addresses further left. */
  readonly proxyHops: number
}

/** The network of a caller, for rate limits: one IPv4 address, or the /64 network of an IPv6 address. */
export function networkOf({ remote = '', forwarded = '', proxyHops }: Hops): string {
  const named = String(forwarded)
    .split(',')
    .map((address) => address.trim())
  const claimed = proxyHops === 0 ? '' : withoutPort(named.at(-proxyHops) ?? '')
  return shorten(isIP(claimed) === 0 ? remote : claimed)
}

/** Some proxies write `192.0.2.1:50123` or `[2001:db8::1]:50123`. An IPv6 address without brackets has no port. */
function withoutPort(written: string): string {
  const [, bracketed, dotted] = /^(?:\[(.*)\]|([\d.]+))(?::\d+)?$/.exec(written) ?? []
  return bracketed ?? dotted ?? written
}

function shorten(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (isIPv4(plain) || isIP(plain) === 0) return plain
  const [head = '', tail] = plain.split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, GROUPS - first.length - last.length) }, () => '0')
  const groups = tail === undefined ? first : [...first, ...zeros, ...last]
  return `${groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::`
}

const GROUPS = 8
const NETWORK_GROUPS = 4
