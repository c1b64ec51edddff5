import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'

/**
 * Keeps addresses from outside (push endpoints, webhooks) from reaching private networks. The check uses the same IP
 * addresses that the connection is then opened to, so a name cannot resolve differently between check and use.
 */
export type AddressGuard = {
  /** `host:port` pairs that the settings allow although they are private. */
  readonly allowed: ReadonlySet<string>
  /** Whether an IP address is public; `domain/values/public-address.ts` decides. */
  readonly isPublic: (address: string) => boolean
  /** Resolves a name to IP addresses; tests bring their own. */
  readonly resolve: Resolve
}

export type Resolve = (
  host: string,
  options: LookupOptions,
  done: (error: Error | null, addresses?: readonly LookupAddress[]) => void,
) => void

export const systemResolve: Resolve = (host, options, done) =>
  systemLookup(host, { ...options, all: true }, done)

/** The address is private. Unlike an address that cannot be reached, it must not be tried again. */
export class BlockedAddress extends Error {}

/** The `lookup` of `net.connect` or `tls.connect`. Throws at once for a literal IP address, which is never looked up. */
export function guardLookup(guard: AddressGuard, { host, port }: HostPort): LookupFunction {
  const isAllowed = guard.allowed.has(`${host}:${port}`)
  if (!isAllowed && isIP(host) !== 0 && !guard.isPublic(host)) throw new BlockedAddress(host)
  return (name, options, done) => {
    guard.resolve(name, options, (error, addresses = []) => {
      const [first] = addresses
      if (error !== null || first === undefined) return done(error ?? new Error('no address'), [])
      // One private address among public ones refuses them all: only an attack mixes them.
      const isPublic = addresses.every(({ address }) => guard.isPublic(address))
      if (!isPublic && !isAllowed) return done(new BlockedAddress(name), [])
      // Node asks for all addresses when it may try IPv4 and IPv6 at once, and otherwise for one.
      return options.all === true ? done(null, [...addresses]) : done(null, first.address, first.family)
    })
  }
}

export type HostPort = { readonly host: string; readonly port: number }

export function hostOf(origin: string): HostPort {
  const url = new URL(origin)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const usual = url.protocol === 'http:' ? 80 : 443
  return { host, port: url.port === '' ? usual : Number(url.port) }
}
