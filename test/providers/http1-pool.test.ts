import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openServer } from './any-server.ts'
import { until } from './support.ts'

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
  server.hold()
  const sending = sendMany(1000)
  await until(() => server.heldCount === 16)
  assert.equal(server.socketCount, 16)
  server.release()
  for (const answer of await sending) assert.equal(answer.kind, 'answered')
  assert.equal(taken.length, 1000)
  assert.equal(new Set(taken).size, 1000)
})

test('over HTTP/1.1 a broken connection, silence and too long an answer end as they do over HTTP/2', async (t) => {
  const { faults, taken, send } = await openServer(t, { ...HTTP1, limits: { answerMs: 200 } })
  faults.add('/accepted', { kind: 'accept_then_drop' })
  faults.add('/silent', { kind: 'hang' })
  faults.add('/drip', { kind: 'drip', status: 410, everyMs: 5 })
  faults.add('/huge', { kind: 'huge', status: 200, bytes: 60 * 1024 * 1024 })
  assert.deepEqual(await send('/accepted'), { kind: 'lost', reason: 'connection lost' })
  assert.deepEqual(taken, ['/accepted'])
  assert.deepEqual(await send('/silent'), { kind: 'lost', reason: 'timeout' })
  const drip = await send('/drip')
  assert.equal(drip.kind === 'answered' && drip.status, 410)
  const huge = await send('/huge')
  assert.equal(huge.kind === 'answered' && huge.body.length, 64 * 1024)
  assert.equal((await send('/next')).kind, 'answered')
})
