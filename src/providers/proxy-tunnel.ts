import { request } from 'node:http'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { type AddressGuard, guardLookup, type HostPort } from '../runtime/address-guard.ts'
import type { HttpsProxy } from '../runtime/outgoing-setting.ts'

/** The operator's proxy for connections to providers. */
export type ProxyOptions = HttpsProxy & {
  /** `host:port` pairs of providers that the program or the settings name. The proxy may resolve these names. */
  readonly named: ReadonlySet<string>
}

type TunnelOptions = {
  readonly proxy: ProxyOptions
  readonly guard: AddressGuard
  readonly signal: AbortSignal
}

/**
 * Asks the proxy for a tunnel (CONNECT, RFC 9110 §9.3.6). A host of a subscription is a caller's text, so that the address
 * guard must hold behind the proxy too: Beckon resolves the name itself, checks every address, and names to the proxy the
 * address that it has checked. The proxy never resolves such a name.
 */
export async function openTunnel(target: HostPort, { proxy, guard, signal }: TunnelOptions): Promise<Duplex> {
  const isNamed = proxy.named.has(`${target.host}:${target.port}`)
  const host = isNamed ? target.host : await checkedAddress(target, guard)
  const path = `${isIP(host) === 6 ? `[${host}]` : host}:${target.port}`
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>()
  const headers = proxy.authorization === null ? {} : { 'proxy-authorization': proxy.authorization }
  const asked = request({
    host: proxy.host,
    port: proxy.port,
    method: 'CONNECT',
    path,
    headers: { host: path, ...headers },
    agent: false,
    signal,
  })
  asked.once('connect', ({ statusCode }, socket) => {
    if (statusCode === 200) return resolve(socket)
    socket.destroy()
    return reject(new Error(`proxy_${statusCode}`))
  })
  // A proxy that answers otherwise than to CONNECT has no tunnel for us.
  asked.once('response', (response) => {
    response.destroy()
    reject(new Error(`proxy_${response.statusCode}`))
  })
  asked.once('error', reject)
  asked.end()
  return promise
}

/** An address of the host that the guard allows. */
async function checkedAddress({ host, port }: HostPort, guard: AddressGuard): Promise<string> {
  const lookup = guardLookup(guard, { host, port })
  if (isIP(host) !== 0) return host
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  lookup(host, { all: true }, (error, addresses) => {
    const [first] = Array.isArray(addresses) ? addresses : []
    if (error !== null || first === undefined) return reject(error ?? new Error('no address'))
    return resolve(first.address)
  })
  return promise
}
