import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const LOOPBACK = '127.0.0.1'

/**
 * A free port: the preferred one if it is free, otherwise one that no outgoing call of any process is given, because systems lend ports
 * from 32768 on. So a server that is started again finds its port free. Another server may still take it before it is used.
 */
export async function findFreePort(preferred: number | null): Promise<number> {
  if (preferred !== null && (await tryPort(preferred)) !== null) return preferred
  for (let triesLeft = TRIES; triesLeft > 0; triesLeft -= 1) {
    const port = await tryPort(randomInt(QUIET_FROM, QUIET_TO))
    if (port !== null) return port
  }
  return (await tryPort(0)) ?? 0
}

const TRIES = 100
const QUIET_FROM = 12_000
const QUIET_TO = 32_000

async function tryPort(port: number): Promise<number | null> {
  const server = createServer()
  try {
    server.listen(port, LOOPBACK)
    await once(server, 'listening')
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : null
  } catch {
    // The port is taken.
    return null
  } finally {
    server.close()
  }
}
