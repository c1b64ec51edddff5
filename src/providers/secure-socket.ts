import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import {
  type ConnectionOptions,
  connect,
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls'
import { type AddressGuard, guardLookup, hostOf } from '../runtime/address-guard.ts'
import { openTunnel, type ProxyOptions } from './proxy-tunnel.ts'

export type SocketOptions = {
  readonly guard: AddressGuard
  /** An origin listed here is trusted by this certificate (PEM) and by no other: the sandbox's own. */
  readonly trust: ReadonlyMap<string, string>
  /** The certificate authorities for every other origin; if absent, those of Node. */
  readonly context?: SecureContext | undefined
  /** Opens the connections to every other origin. */
  readonly proxy?: ProxyOptions | null
  readonly connectMs: number
}

/** A TLS connection to an origin, past the address guard. Its `alpnProtocol` tells which HTTP the peer speaks. */
export async function openSocket(origin: string, options: SocketOptions): Promise<TLSSocket> {
  const end = new AbortController()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    end.abort()
    late.reject(new Error('connect timeout'))
  }, options.connectMs)
  try {
    return await Promise.race([connectTo(origin, options, end.signal), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Connects, through the proxy if there is one. A socket that opens after `signal` was aborted is destroyed. */
async function connectTo(origin: string, options: SocketOptions, signal: AbortSignal): Promise<TLSSocket> {
  const tunnel = await tunnelTo(origin, options, signal)
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  const socket = connect({ ...connectionOptions(origin, options), ...tunnel })
  const giveUp = (): void => void socket.destroy()
  signal.addEventListener('abort', giveUp, { once: true })
  if (signal.aborted) giveUp()
  socket.once('secureConnect', () => resolve(socket))
  socket.once('error', reject)
  socket.once('close', () => reject(new Error('closed while connecting')))
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', giveUp)
    socket.off('error', reject)
  }
}

/** Trusts what Node trusts, and the certificates of the operator. Made once, because it takes milliseconds. */
export function trustingContext(certificates: readonly string[]): SecureContext | undefined {
  if (certificates.length === 0) return undefined
  return createSecureContext({
    ca: [...getCACertificates('default'), ...certificates],
    minVersion: 'TLSv1.2',
  })
}

async function tunnelTo(
  origin: string,
  { proxy = null, guard, trust }: SocketOptions,
  signal: AbortSignal,
): Promise<{ readonly socket?: Duplex }> {
  if (proxy === null || trust.has(origin)) return {}
  return { socket: await openTunnel(hostOf(origin), { proxy, guard, signal }) }
}

function connectionOptions(origin: string, options: SocketOptions): ConnectionOptions {
  const address = hostOf(origin)
  const ca = options.trust.get(origin)
  const { context } = options
  return {
    ...address,
    ...(isIP(address.host) === 0 ? { servername: address.host } : {}),
    ...(ca === undefined ? {} : { ca }),
    ...(ca === undefined && context !== undefined ? { secureContext: context } : {}),
    lookup: guardLookup(options.guard, address),
    ALPNProtocols: ['h2', 'http/1.1'],
    minVersion: 'TLSv1.2',
  }
}
