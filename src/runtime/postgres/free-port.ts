import { once } from 'node:events'
import { createServer } from 'node:net'

const LOOPBACK = '127.0.0.1'

/** A free port: the preferred one if it is free, otherwise any. Another program may take it before it is used. */
export async function findFreePort(preferred: number | null): Promise<number> {
  return (preferred === null ? null : await tryPort(preferred)) ?? (await tryPort(0)) ?? 0
}

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
