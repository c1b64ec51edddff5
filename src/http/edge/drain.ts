import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { ServerOptions } from './server-options.ts'

/** Lets a server take nothing new, answer what is in flight or on its way, and then hang up. */
export async function drain(server: Server, { quietMs, stopTimeoutMs }: ServerOptions): Promise<void> {
  if (!server.listening) return
  const { promise, resolve } = Promise.withResolvers<void>()
  // Not http's own close: it hangs up on idle connections at once, and a request may be on its way on one.
  NetServer.prototype.close.call(server, () => resolve())
  const quiet = setInterval(() => server.closeIdleConnections(), quietMs)
  const bound = setTimeout(() => server.closeAllConnections(), stopTimeoutMs)
  await promise
  clearInterval(quiet)
  clearTimeout(bound)
}
