import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownConnections } from '../../src/providers/own-connections.ts'
import { openServer, requestFor } from './any-server.ts'
import { until } from './support.ts'

test('requests that hang fill the connections of their owner, and another owner is answered', async (t) => {
  const { server, pool, faults } = await openServer(t, { streamsMax: 3, limits: { connectionsMax: 2 } })
  const [stuck, other] = [ownConnections(pool, 'stuck'), ownConnections(pool, 'other')]
  const many = Array.from({ length: 20 }, (_, place) => `/hang/${place}`)
  for (const path of many) faults.add(path, { kind: 'hang' })
  const hanging = many.map(async (path) => stuck.send(requestFor(server.origin, path)))
  await until(() => server.connectionCount === 2)
  for (let done = 0; done < 50; done += 1) {
    assert.equal((await other.send(requestFor(server.origin, `/${done}`))).kind, 'answered')
  }
  await server.close()
  for (const answer of await Promise.all(hanging)) assert.notEqual(answer.kind, 'answered')
})

test('a connection that is retired for one owner stays open for the others', async (t) => {
  const { server, pool } = await openServer(t)
  const [one, other] = [ownConnections(pool, 'one'), ownConnections(pool, 'other')]
  for (const own of [one, other]) await own.send(requestFor(server.origin, '/'))
  assert.equal(server.connectionCount, 2)
  one.retire(requestFor(server.origin, '/').route)
  await until(() => server.connectionCount === 1)
  assert.equal((await other.send(requestFor(server.origin, '/'))).kind, 'answered')
  assert.equal(server.connectionCount, 1)
})

test('quiet routes make room for new ones, and a busy route is never cut off', async (t) => {
  const { server, pool, faults } = await openServer(t, { limits: { routesMax: 3 } })
  faults.add('/hang', { kind: 'hang' })
  const hanging = ownConnections(pool, 'busy').send(requestFor(server.origin, '/hang'))
  for (let owner = 0; owner < 10; owner += 1) {
    const own = ownConnections(pool, `owner ${owner}`)
    assert.equal((await own.send(requestFor(server.origin, '/'))).kind, 'answered')
  }
  assert.ok(server.connectionCount <= 3)
  await server.close()
  assert.equal((await hanging).kind, 'lost')
})

test('when every route is busy, a request of another owner comes back unsent and no busy route is given up', async (t) => {
  const { server, pool } = await openServer(t, { limits: { routesMax: 2 } })
  server.queueCalls()
  const busy = ['one', 'two'].map((owner) => ownConnections(pool, owner))
  const sending = busy.map(async (own) => own.send(requestFor(server.origin, '/')))
  await until(() => server.queuedCount === 2)
  const late = await ownConnections(pool, 'three').send(requestFor(server.origin, '/'))
  assert.deepEqual(late, { kind: 'unsent', reason: 'too many routes' })
  server.release()
  for (const answer of await Promise.all(sending)) assert.equal(answer.kind, 'answered')
  const fourth = await ownConnections(pool, 'four').send(requestFor(server.origin, '/'))
  assert.equal(fourth.kind, 'answered')
})
