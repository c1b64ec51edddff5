import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPublicAddress } from '../../src/domain/values/public-address.ts'
import { Http2Pool } from '../../src/providers/http2-pool.ts'
import { POOL_LIMITS } from '../../src/providers/pool-limits.ts'
import { trustingContext } from '../../src/providers/secure-socket.ts'
import type { ProviderAnswer } from '../../src/providers/transport.ts'
import { systemResolve } from '../../src/runtime/address-guard.ts'
import { makeCertificate } from '../../src/sandbox/certificate.ts'
import { ANYONE, HTML_502 } from '../../src/sandbox/faults.ts'
import { openServer, requestFor } from './any-server.ts'
import { openNetwork } from './network.ts'
import { poolFor, until } from './support.ts'

function count(answers: readonly ProviderAnswer[], kind: ProviderAnswer['kind']): number {
  return answers.filter((answer) => answer.kind === kind).length
}

test('an answer carries its status, its Retry-After and its body', async (t) => {
  const { faults, send } = await openServer(t)
  faults.add('/a', { kind: 'answer', status: 503, headers: { 'retry-after': '7' }, body: 'busy' })
  assert.deepEqual(await send('/a'), { kind: 'answered', status: 503, retryAfter: '7', body: 'busy' })
  assert.deepEqual(await send('/a'), { kind: 'answered', status: 200, retryAfter: null, body: 'took 4' })
})

test('a GOAWAY that refuses half of 1000 open streams loses none and repeats none', async (t) => {
  const { server, taken, sendMany } = await openServer(t)
  server.queueCalls()
  const sending = sendMany(1000)
  await until(() => server.queuedCount === 1000)
  server.release(500)
  server.goaway('refusing')
  server.release()
  const answers = await sending
  assert.equal(count(answers, 'answered'), 1000)
  assert.equal(taken.length, 1000)
  assert.equal(new Set(taken).size, 1000)
})

test('a GOAWAY that lets 1000 open streams finish loses none and repeats none', async (t) => {
  const { server, taken, send, sendMany } = await openServer(t)
  server.queueCalls()
  const sending = sendMany(1000)
  await until(() => server.queuedCount === 1000)
  server.goaway('finishing')
  await until(() => server.connectionCount === 1)
  const late = send('/late')
  await until(() => server.queuedCount === 1001)
  assert.equal(server.connectionCount, 2)
  server.release()
  assert.equal(count(await sending, 'answered'), 1000)
  assert.equal((await late).kind, 'answered')
  assert.equal(new Set(taken).size, 1001)
  assert.equal(taken.length, 1001)
})

test('50 GOAWAYs of both kinds during 2000 sends lose none and repeat none', async (t) => {
  const { faults, taken, send } = await openServer(t)
  for (let index = 0; index < 2000; index += 40) {
    faults.add(`/${index}`, { kind: 'goaway', manner: index % 80 === 0 ? 'refusing' : 'finishing' })
  }
  let next = 0
  const answers: ProviderAnswer[] = []
  const sendInTurn = async (): Promise<void> => {
    for (let index = next++; index < 2000; index = next++) answers.push(await send(`/${index}`))
  }
  await Promise.all(Array.from({ length: 100 }, sendInTurn))
  assert.equal(count(answers, 'answered'), 2000)
  assert.equal(taken.length, 2000)
  assert.equal(new Set(taken).size, 2000)
})

test('a message that was accepted before the connection broke is lost, not sent again', async (t) => {
  const { faults, taken, send } = await openServer(t)
  faults.add('/a', { kind: 'accept_then_drop' })
  assert.deepEqual(await send('/a'), { kind: 'lost', reason: 'connection lost' })
  assert.deepEqual(taken, ['/a'])
})

test('a connection that breaks, or a stream that is reset, leaves an unknown outcome', async (t) => {
  const { faults, send } = await openServer(t)
  faults.add('/drop', { kind: 'drop' })
  faults.add('/reset', { kind: 'reset' })
  assert.equal((await send('/drop')).kind, 'lost')
  assert.equal((await send('/reset')).kind, 'lost')
  assert.equal((await send('/drop')).kind, 'answered')
})

test('silence ends after the answer timeout, and the connection still serves others', async (t) => {
  const { server, faults, send } = await openServer(t, { limits: { answerMs: 100, connectionsMax: 1 } })
  faults.add('/silent', { kind: 'hang' })
  assert.deepEqual(await send('/silent'), { kind: 'lost', reason: 'timeout' })
  // A slow machine may take longer for an answer, too.
  await until(async () => (await send('/next')).kind === 'answered')
  assert.equal(server.connectionCount, 1)
})

test('a body that never ends is left at the answer timeout, and its status counts', async (t) => {
  const { faults, send } = await openServer(t, { limits: { answerMs: 100 } })
  await until(async () => {
    faults.add('/drip', { kind: 'drip', status: 410, everyMs: 5 })
    const answer = await send('/drip')
    // A slow machine may not even have the status in time.
    if (answer.kind === 'lost') return false
    assert.equal(answer.kind === 'answered' && answer.status, 410)
    return true
  })
})

test('the body of a refusal is waited for a while, and that of an acceptance hardly at all', async (t) => {
  const refusing = await openServer(t, { limits: { bodyMs: 50 } })
  refusing.faults.add('/drip', { kind: 'drip', status: 410, everyMs: 5 })
  const refused = await refusing.send('/drip')
  assert.equal(refused.kind === 'answered' && refused.status, 410)
  const accepting = await openServer(t, { limits: { acceptedBodyMs: 50 } })
  accepting.faults.add('/drip', { kind: 'drip', status: 200, everyMs: 5 })
  const accepted = await accepting.send('/drip')
  assert.equal(accepted.kind === 'answered' && accepted.status, 200)
  assert.equal((await accepting.send('/next')).kind, 'answered')
})

test('of an answer of 60 MiB only 64 KiB are read', async (t) => {
  const { faults, send } = await openServer(t)
  faults.add('/huge', { kind: 'huge', status: 200, bytes: 60 * 1024 * 1024 })
  const answer = await send('/huge')
  assert.equal(answer.kind === 'answered' && answer.body.length, 64 * 1024)
  assert.equal((await send('/next')).kind, 'answered')
})

test('an answer of HTML is an answer', async (t) => {
  const { faults, send } = await openServer(t)
  faults.add(ANYONE, HTML_502)
  const answer = await send('/a')
  assert.equal(answer.kind === 'answered' && answer.status, 502)
})

test('a redirect is not followed', async (t) => {
  const { server, faults, taken, send } = await openServer(t)
  faults.add('/a', { kind: 'answer', status: 302, headers: { location: `${server.origin}/b` } })
  const answer = await send('/a')
  assert.equal(answer.kind === 'answered' && answer.status, 302)
  assert.deepEqual(taken, [])
})

test('no connection carries more streams than its peer allows, and there are never too many connections', async (t) => {
  const limits = { connectionsMax: 3 }
  const { server, pool, taken, sendMany } = await openServer(t, { limits, streamsMax: 5 })
  server.queueCalls()
  const sending = sendMany(40)
  await until(() => server.queuedCount === 15)
  // A connection too many would be open by the time that one of another owner is.
  const request = requestFor(server.origin, '/other')
  const other = pool.send({ ...request, route: { ...request.route, partition: 'other' } })
  await until(() => server.queuedCount === 16)
  assert.equal(server.connectionCount, 4)
  server.release()
  assert.equal(count(await sending, 'answered'), 40)
  assert.equal((await other).kind, 'answered')
  assert.equal(new Set(taken).size, 41)
})

test('who finds the pool full, or waits too long for room, gets the message back unsent', async (t) => {
  const limits = { connectionsMax: 1, waitingMax: 2, waitMs: 50 }
  const { server, taken, send } = await openServer(t, { limits, streamsMax: 1 })
  // To connect takes a slow machine longer than the wait for room.
  await until(async () => (await send('/first')).kind === 'answered')
  server.queueCalls()
  const underWay = send('/0')
  await until(() => server.queuedCount === 1)
  const answers = await Promise.all(['/1', '/2', '/3'].map(send))
  assert.deepEqual(answers, [
    { kind: 'unsent', reason: 'pool busy' },
    { kind: 'unsent', reason: 'pool busy' },
    { kind: 'unsent', reason: 'pool full' },
  ])
  server.release()
  assert.equal((await underWay).kind, 'answered')
  assert.deepEqual(taken, ['/first', '/0'])
})

test('a host that cannot be reached gives every message back unsent', async (t) => {
  const { server, pool } = await openServer(t)
  const { origin } = server
  await server.close()
  const answers = await Promise.all(
    ['/1', '/2', '/3'].map(async (path) => pool.send(requestFor(origin, path))),
  )
  for (const answer of answers) assert.deepEqual(answer, { kind: 'unsent', reason: 'ECONNREFUSED' })
})

test('a peer that no longer answers pings is given up: its messages are lost, not stuck', async (t) => {
  const { server, certificate } = await openServer(t)
  const network = await openNetwork(t, server.origin)
  const pool = poolFor([network.origin], certificate, { pingEveryMs: 20, pingMs: 1_000, connectionsMax: 1 })
  t.after(async () => pool.close())
  server.queueCalls()
  const sending = Promise.all(['/1', '/2'].map(async (path) => pool.send(requestFor(network.origin, path))))
  await until(() => server.queuedCount === 2)
  network.cut()
  for (const answer of await sending) assert.deepEqual(answer, { kind: 'lost', reason: 'connection lost' })
})

test('a host whose certificate is not trusted gets nothing', async (t) => {
  const { server, taken } = await openServer(t)
  const stranger = poolFor([server.origin], makeCertificate(Date.now()).cert, {})
  t.after(async () => stranger.close())
  assert.equal((await stranger.send(requestFor(server.origin, '/a'))).kind, 'unsent')
  assert.deepEqual(taken, [])
})

test('an origin with a certificate of its own is trusted by it, whatever authorities the operator adds', async (t) => {
  const { server, certificate } = await openServer(t)
  const limits = { ...POOL_LIMITS, connectMs: 60_000, answerMs: 60_000, waitMs: 60_000 }
  const guard = {
    allowed: new Set([new URL(server.origin).host]),
    isPublic: isPublicAddress,
    resolve: systemResolve,
  }
  const context = trustingContext([makeCertificate(Date.now()).cert])
  const own = new Http2Pool({ limits, guard, context, trust: new Map([[server.origin, certificate]]) })
  t.after(async () => own.close())
  assert.equal((await own.send(requestFor(server.origin, '/a'))).kind, 'answered')
})

test('closing the pool lets what is under way finish and takes nothing new', async (t) => {
  const { server, pool, send } = await openServer(t)
  server.queueCalls()
  const underWay = send('/a')
  await until(() => server.queuedCount === 1)
  let isClosed = false
  const close = async (): Promise<void> => {
    await pool.close()
    isClosed = true
  }
  const closing = close()
  assert.deepEqual(await send('/b'), { kind: 'unsent', reason: 'closed' })
  const elsewhere = {
    ...requestFor(server.origin, '/c'),
    route: { origin: server.origin, partition: 'other' },
  }
  assert.deepEqual(await pool.send(elsewhere), { kind: 'unsent', reason: 'closed' })
  assert.equal(server.connectionCount, 1)
  assert.equal(isClosed, false)
  server.release()
  assert.equal((await underWay).kind, 'answered')
  await closing
})

test('a retired route finishes on the old connection and goes on with a new one', async (t) => {
  const { server, pool, send } = await openServer(t)
  server.queueCalls()
  const old = send('/old')
  await until(() => server.queuedCount === 1)
  pool.retire({ origin: server.origin, partition: '' })
  const fresh = send('/new')
  await until(() => server.queuedCount === 2)
  assert.equal(server.connectionCount, 2)
  server.release()
  assert.equal((await old).kind, 'answered')
  assert.equal((await fresh).kind, 'answered')
})

test('a connection that nobody uses is closed', async (t) => {
  const { server, send } = await openServer(t, { limits: { idleMs: 20, pingEveryMs: 10 } })
  await send('/a')
  await until(() => server.connectionCount === 0)
  assert.equal((await send('/b')).kind, 'answered')
})

test('a connection on which the peer allows nothing is closed too, not kept for ever', async (t) => {
  const { server, send } = await openServer(t, {
    streamsMax: 0,
    limits: { idleMs: 20, pingEveryMs: 10, waitMs: 200 },
  })
  assert.deepEqual(await send('/a'), { kind: 'unsent', reason: 'pool busy' })
  await until(() => server.connectionCount === 0)
})
