import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { createServer, type TLSSocket } from 'node:tls'
import { makeCertificate } from '../../src/sandbox/certificate.ts'
import { requestFor } from './any-server.ts'
import { poolFor } from './support.ts'

type Peer = {
  readonly sendMany: (howMany: number) => ReturnType<ReturnType<typeof poolFor>['send']>[]
  /** How many requests came over a connection after the answer that announced its end. */
  readonly lateCount: () => number
  readonly socketCount: () => number
}

/** A peer that gives this raw answer to every request, and leaves it to the caller to close the connection. */
async function openPeer(t: TestContext, answer: string): Promise<Peer> {
  const certificate = makeCertificate(Date.now())
  let late = 0
  let sockets = 0
  const server = createServer({ ...certificate, ALPNProtocols: ['http/1.1'] }, (socket: TLSSocket) => {
    sockets += 1
    let requests = 0
    let text = ''
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      if (!text.endsWith('\r\n\r\nbody')) return
      text = ''
      requests += 1
      if (requests > 1) late += 1
      socket.write(answer)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const origin = `https://localhost:${address.port}`
  const pool = poolFor([origin], certificate.cert, {})
  t.after(async () => {
    await pool.close()
    server.close()
  })
  return {
    sendMany: (howMany) =>
      Array.from({ length: howMany }, async (_, index) => pool.send(requestFor(origin, `/${index}`))),
    lateCount: () => late,
    socketCount: () => sockets,
  }
}

const CLOSING = {
  'Connection: close': 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok',
  'close among other words': 'HTTP/1.1 200 OK\r\nconnection: foo, Close\r\nContent-Length: 2\r\n\r\nok',
  'close in a chunked answer':
    'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  'HTTP/1.0': 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok',
  'Keep-Alive: timeout=1': 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1, max=100\r\nContent-Length: 2\r\n\r\nok',
  'Keep-Alive: max=0': 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=60, max=0\r\nContent-Length: 2\r\n\r\nok',
} as const

for (const [name, answer] of Object.entries(CLOSING)) {
  test(`a connection that announces its end by ${name} takes no other request`, async (t) => {
    const peer = await openPeer(t, answer)
    for (const one of await Promise.all(peer.sendMany(100))) {
      assert.deepEqual(one, { kind: 'answered', status: 200, retryAfter: null, body: 'ok' })
    }
    assert.equal(peer.lateCount(), 0)
    assert.equal(peer.socketCount(), 100)
  })
}

const STAYING = {
  'HTTP/1.1 without a word': 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.0 with keep-alive': 'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok',
  'Keep-Alive: timeout=60': 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=60\r\nContent-Length: 2\r\n\r\nok',
} as const

for (const [name, answer] of Object.entries(STAYING)) {
  test(`a connection that stays open by ${name} is used again`, async (t) => {
    const peer = await openPeer(t, answer)
    for (const one of await Promise.all(peer.sendMany(200))) assert.equal(one.kind, 'answered')
    assert.ok(peer.socketCount() <= 32, `${peer.socketCount()} connections`)
  })
}
