import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { createServer } from 'node:tls'
import { makeCertificate } from '../../src/sandbox/certificate.ts'
import { openServer, requestFor } from './any-server.ts'
import { poolFor, until } from './support.ts'

const HTTP1 = { protocols: ['http/1.1'] } as const

test('a peer without HTTP/2 is spoken to in HTTP/1.1, on a connection that is kept', async (t) => {
  const { faults, server, send } = await openServer(t, HTTP1)
  faults.add('/a', { kind: 'answer', status: 503, headers: { 'retry-after': '7' }, body: 'busy' })
  assert.deepEqual(await send('/a'), { kind: 'answered', status: 503, retryAfter: '7', body: 'busy' })
  assert.deepEqual(await send('/a'), { kind: 'answered', status: 200, retryAfter: null, body: 'took 4' })
  assert.equal(server.socketCount, 1)
})

test('over HTTP/1.1 a thousand messages each arrive once, on a bounded number of connections', async (t) => {
  const { taken, server, sendMany } = await openServer(t, { ...HTTP1, limits: { connectionsMax: 2 } })
  server.queueCalls()
  const sending = sendMany(1000)
  await until(() => server.queuedCount === 16)
  assert.equal(server.socketCount, 16)
  server.release()
  for (const answer of await sending) assert.equal(answer.kind, 'answered')
  assert.equal(taken.length, 1000)
  assert.equal(new Set(taken).size, 1000)
})

test('over HTTP/1.1 a broken connection, silence and too long an answer end as they do over HTTP/2', async (t) => {
  const { faults, taken, send } = await openServer(t, HTTP1)
  faults.add('/accepted', { kind: 'accept_then_drop' })
  faults.add('/huge', { kind: 'huge', status: 200, bytes: 60 * 1024 * 1024 })
  assert.deepEqual(await send('/accepted'), { kind: 'lost', reason: 'connection lost' })
  assert.deepEqual(taken, ['/accepted'])
  const huge = await send('/huge')
  assert.equal(huge.kind === 'answered' && huge.body.length, 64 * 1024)
  assert.equal((await send('/next')).kind, 'answered')

  const impatient = await openServer(t, { ...HTTP1, limits: { answerMs: 200 } })
  impatient.faults.add('/silent', { kind: 'hang' })
  assert.deepEqual(await impatient.send('/silent'), { kind: 'lost', reason: 'timeout' })
  await until(async () => {
    impatient.faults.add('/drip', { kind: 'drip', status: 410, everyMs: 5 })
    const drip = await impatient.send('/drip')
    // A slow machine may not even have the status in time.
    if (drip.kind === 'lost') return false
    assert.equal(drip.kind === 'answered' && drip.status, 410)
    return true
  })
  await until(async () => (await impatient.send('/next')).kind === 'answered')
})

test('an answer that comes before its whole request has left does no harm to the next request', async (t) => {
  const certificate = makeCertificate(Date.now())
  const answers = ['413 Content Too Large', '200 OK']
  const server = createServer({ ...certificate, ALPNProtocols: ['http/1.1'] }, (socket) => {
    // A caller that hangs up in the middle is what this is about.
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.pause()
      socket.write(`HTTP/1.1 ${answers.shift()}\r\ncontent-length: 0\r\n\r\n`)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const origin = `https://localhost:${typeof address === 'object' ? address?.port : 0}`
  // Room for one connection of HTTP/1.1, which has eight times the room of HTTP/2.
  const pool = poolFor([origin], certificate.cert, { connectionsMax: 1 / 8 })
  t.after(async () => {
    await pool.close()
    server.close()
  })
  const large = pool.send({ ...requestFor(origin, '/large'), body: Buffer.alloc(32 * 1024 * 1024) })
  const next = pool.send(requestFor(origin, '/next'))
  const statuses = (await Promise.all([large, next])).map(
    (answer) => answer.kind === 'answered' && answer.status,
  )
  assert.deepEqual(statuses, [413, 200])
})
