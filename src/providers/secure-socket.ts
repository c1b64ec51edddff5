import { isIP } from 'node:net'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { type AddressGuard, guardLookup, hostOf } from '../runtime/address-guard.ts'

export type SocketOptions = {
  readonly guard: AddressGuard
  /** An origin listed here is trusted by this certificate (PEM) and by no other: the sandbox's own. */
  readonly trust: ReadonlyMap<string, string>
  readonly connectMs: number
}

/** A TLS connection to an origin, past the address guard. Its `alpnProtocol` tells which HTTP the peer speaks. */
export async function openSocket(origin: string, options: SocketOptions): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  const socket = connect(connectionOptions(origin, options))
  const timer = setTimeout(() => socket.destroy(new Error('connect timeout')), options.connectMs)
  socket.once('secureConnect', () => resolve(socket))
  socket.once('error', reject)
  socket.once('close', () => reject(new Error('closed while connecting')))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    socket.off('error', reject)
  }
}

function connectionOptions(origin: string, options: SocketOptions): ConnectionOptions {
  const address = hostOf(origin)
  const ca = options.trust.get(origin)
  return {
    ...address,
    ...(isIP(address.host) === 0 ? { servername: address.host } : {}),
    ...(ca === undefined ? {} : { ca }),
    lookup: guardLookup(options.guard, address),
    ALPNProtocols: ['h2', 'http/1.1'],
    minVersion: 'TLSv1.2',
  }
}
