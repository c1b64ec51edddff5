import { once } from 'node:events'
import { createServer } from 'node:net'
import { errorCode, StartError } from '../errors.ts'

export type ListenAddress = { readonly host: string; readonly port: number }

/**
 * Throws when the port cannot be used, before anything else is started. Returns the port; 0 becomes a free port, which
 * all processes then share.
 */
export async function checkPort(address: ListenAddress): Promise<number> {
  const server = createServer()
  try {
    server.listen({ host: address.host, port: address.port })
    await once(server, 'listening')
    const bound = server.address()
    return typeof bound === 'object' && bound !== null ? bound.port : address.port
  } catch (cause) {
    // The person who starts Beckon can change the port, so a known reason becomes a sentence.
    throw explainListen(cause, address)
  } finally {
    server.close()
  }
}

/** A `StartError` for a port that cannot be used; any other error comes back as it is. */
export function explainListen(cause: unknown, { host, port }: ListenAddress): unknown {
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
