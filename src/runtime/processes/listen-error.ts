import { once } from 'node:events'
import { createServer } from 'node:net'
import { errorCode, StartError } from '../error-code.ts'

export type Place = { readonly host: string; readonly port: number }

/**
 * Stops the start early when the port cannot be had, before anything has been started that would be stopped again.
 * Gives back the port, so that 0 becomes one that every process of a crew can be told.
 */
export async function checkPort(place: Place): Promise<number> {
  const server = createServer()
  try {
    server.listen({ host: place.host, port: place.port })
    await once(server, 'listening')
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : place.port
  } catch (cause) {
    // A port that cannot be had has known reasons, and whoever starts Beckon can do something about them.
    throw explainListen(cause, place)
  } finally {
    server.close()
  }
}

/** The sentence for a port that cannot be had; an error of another kind comes back as it is. */
export function explainListen(cause: unknown, { host, port }: Place): unknown {
  const explain = SENTENCES.get(errorCode(cause) ?? '')
  return explain === undefined ? cause : new StartError(explain(host, port), { cause })
}

const SENTENCES = new Map<string, (host: string, port: number) => string>([
  ['EADDRINUSE', (_, port) => `Port ${port} is taken: stop what listens there, or set PORT to another one.`],
  ['EACCES', (_, port) => `This user may not listen on port ${port}: set PORT to 1024 or more.`],
  ['EADDRNOTAVAIL', (host) => `This machine has no address ${host}: set HOST to one it has.`],
  ['ENOTFOUND', (host) => `The name ${host} has no address: set HOST to one of this machine.`],
  ['EAI_AGAIN', (host) => `The name ${host} has no address: set HOST to one of this machine.`],
])
