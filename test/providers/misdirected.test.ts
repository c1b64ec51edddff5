import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createSecureServer, type Http2Session } from 'node:http2'
import { createServer } from 'node:https'
import { type TestContext, test } from 'node:test'
import { makeCertificate } from '../../src/sandbox/certificate.ts'
import { requestFor } from './any-server.ts'
import { poolFor } from './support.ts'

const certificate = makeCertificate(Date.now())

/** A far end that answers 421 on its first connections, and takes the message on all later ones. */
async function openPeer(t: TestContext, protocol: 'h2' | 'http/1.1', misdirectedMax: number) {
  const connections = new Map<object, number>()
  const answer = (connection: object): number => {
    const number = connections.get(connection) ?? connections.size + 1
    connections.set(connection, number)
    return number <= misdirectedMax ? 421 : 200
  }
  const server =
    protocol === 'h2'
      ? createSecureServer(certificate)
      : createServer(certificate, (request, response) => {
          response.writeHead(answer(request.socket)).end()
          request.resume()
        })
  const sessions = new Set<Http2Session>()
  server.on('session', (session: Http2Session) => sessions.add(session))
  server.on('stream', (stream) => {
    stream.respond({ ':status': answer(stream.session) })
    stream.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const origin = `https://localhost:${address.port}`
  const pool = poolFor([origin], certificate.cert, {})
  t.after(async () => {
    await pool.close()
    for (const session of sessions) session.destroy()
    server.close()
  })
  const send = async () => pool.send(requestFor(origin, '/a'))
  return { connections, send }
}

for (const protocol of ['h2', 'http/1.1'] as const) {
  test(`over ${protocol}, a request that was answered 421 goes out again over a new connection`, async (t) => {
    const { connections, send } = await openPeer(t, protocol, 2)
    const answer = await send()
    assert.equal(answer.kind === 'answered' && answer.status, 200)
    assert.equal(connections.size, 3)
    await send()
    assert.equal(connections.size, 3, 'a connection that answers well is kept')
  })

  test(`over ${protocol}, a peer that answers 421 for ever is asked five times, and gives its status`, async (t) => {
    const { connections, send } = await openPeer(t, protocol, Number.POSITIVE_INFINITY)
    const answer = await send()
    assert.equal(answer.kind === 'answered' && answer.status, 421)
    assert.equal(connections.size, 5)
  })
}
