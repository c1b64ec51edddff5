import { once } from 'node:events'
import { createServer } from 'node:net'
import { errorCode, StartError } from '../errors.ts'

export type ListenAddress = {
  readonly host: string
  readonly port: number
  /** The setting that chooses the port; PORT if it is not named. */
  readonly setting?: string
}

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
export function explainListen(cause: unknown, { host, port, setting = 'PORT' }: ListenAddress): unknown {
  const explain = SENTENCES.get(errorCode(cause) ?? '')
  return explain === undefined ? cause : new StartError(explain({ host, port, setting }), { cause })
}

const SENTENCES = new Map<string, (address: Required<ListenAddress>) => string>([
  [
    'EADDRINUSE',
    ({ port, setting }) =>
      `Port ${port} is taken: stop what listens there, or set ${setting} to another one.`,
  ],
  [
    'EACCES',
    ({ port, setting }) => `This user may not listen on port ${port}: set ${setting} to 1024 or more.`,
  ],
  ['EADDRNOTAVAIL', ({ host }) => `This machine has no address ${host}: set HOST to one it has.`],
  ['ENOTFOUND', ({ host }) => `The name ${host} has no address: set HOST to one of this machine.`],
  ['EAI_AGAIN', ({ host }) => `The name ${host} has no address: set HOST to one of this machine.`],
])
