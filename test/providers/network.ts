import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** A stretch of network in front of an origin. Once cut, bytes vanish and nobody is told. */
export async function openNetwork(t: TestContext, origin: string) {
  const sockets = new Set<Socket>()
  const proxy = createServer((near) => {
    const far = connect(Number(new URL(origin).port), '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
    }
    near.pipe(far).pipe(near)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  const address = proxy.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const cut = (): void => {
    for (const socket of sockets) socket.unpipe().pause()
  }
  return { origin: `https://localhost:${address.port}`, cut }
}
