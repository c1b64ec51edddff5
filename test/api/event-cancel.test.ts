import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { type Db, withOwner } from '../../src/store/db.ts'
import type { TestBrand } from '../support/database/database.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { until } from '../support/until.ts'

const server = await startServer()
const { port, deps } = server
after(server.close)

const WITHIN = 'steps":["signup","buy"],"within":60'
const QUESTIONS = [
  { name: 'a question', head: 'POST /api/v1/events/query', body: '{}' },
  {
    name: 'a question about people',
    head: 'POST /api/v1/events/query',
    body: '{"people":{"users":["ann"]}}',
  },
  { name: 'a funnel', head: 'POST /api/v1/events/funnel', body: `{"${WITHIN}}` },
  { name: 'a retention', head: 'GET /api/v1/events/retention', body: '' },
  { name: 'paths', head: 'GET /api/v1/events/paths?event_name=signup', body: '' },
  { name: 'statistics', head: 'GET /api/v1/events/stats', body: '' },
] as const

/** Sends a request on a connection of its own, which the caller can close. */
function send({ head, body }: (typeof QUESTIONS)[number], brand: TestBrand) {
  const headers = { ...keyHeaders(brand), 'content-type': 'application/json', 'content-length': body.length }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = connect(port, '127.0.0.1')
  socket.write(`${head} HTTP/1.1\r\nhost: x\r\n${lines.join('')}\r\n${body}`)
  return socket
}

/** The sessions that wait for the table of events, which the owner has locked. */
async function listAtWork(owner: Db): Promise<readonly number[]> {
  const { rows } = await owner.query<{ pid: number }>(
    `select pid from pg_locks where not granted
       and database = (select oid from pg_database where datname = current_database())`,
  )
  return rows.map(({ pid }) => pid)
}

async function countAtWork(owner: Db): Promise<number> {
  return (await listAtWork(owner)).length
}

for (const question of QUESTIONS) {
  test(`${question.name} whose caller hangs up is ended in the database`, async () => {
    const brand = await server.brand()
    await withOwner(server.url, async (owner) => {
      await owner.query('begin; lock table events in access exclusive mode')
      const socket = send(question, brand)
      await until(async () => (await countAtWork(owner)) === 1, { what: 'the question to be at work' })
      socket.destroy()
      // The lock is still held, so the statement did not end by itself.
      await until(async () => (await countAtWork(owner)) === 0, { what: 'the statement to be ended' })
      await owner.query('rollback')
    })
    const { status } = await call(port, {
      path: '/api/v1/events/query',
      headers: keyHeaders(brand),
      body: {},
    })
    assert.equal(status, 200)
    assert.deepEqual(server.log, [])
  })
}

test('a caller who asks and hangs up again and again has no more statements at work than its lane', async () => {
  const brand = await server.brand()
  await withOwner(server.url, async (owner) => {
    await owner.query('begin; lock table events in access exclusive mode')
    const seen = new Set<number>()
    for (const _ of Array.from({ length: HANG_UPS })) {
      const socket = send(QUESTIONS[0], brand)
      let atWork: readonly number[] = []
      const isNewAtWork = async (): Promise<boolean> => {
        atWork = await listAtWork(owner)
        return atWork.some((pid) => !seen.has(pid))
      }
      await until(isNewAtWork, { what: 'the next question to be at work' })
      for (const pid of atWork) seen.add(pid)
      assert.ok(atWork.length <= deps.database.connectionsMax / 2, `${atWork.length} statements are at work`)
      socket.destroy()
    }
    await until(async () => (await countAtWork(owner)) === 0, { what: 'the statements to be ended' })
    await owner.query('rollback')
  })
})

/** More than all lanes together. */
const HANG_UPS = 8

test('a question writes nothing: its transaction is read-only, also as the engine', async () => {
  const { brandId } = await server.brand()
  const { signal } = new AbortController()
  for (const asked of [brandId, null]) {
    const isReadOnly = await deps.database.asQuestion({ brandId: asked, signal }, async (tx) =>
      tx.query(`select current_setting('transaction_read_only') as "isReadOnly"`),
    )
    assert.deepEqual(isReadOnly.rows, [{ isReadOnly: 'on' }])
  }
  const later = await deps.database.asBrand(brandId, async (tx) =>
    tx.query(`select current_setting('transaction_read_only') as "isReadOnly",
      current_setting('client_connection_check_interval') as "checked"`),
  )
  assert.deepEqual(later.rows, [{ isReadOnly: 'off', checked: '0' }])
})

test('a question of a caller who is gone already is not asked', async () => {
  const gone = new Error('the caller hung up')
  const signal = AbortSignal.abort(gone)
  let isAsked = false
  const asked = deps.database.asQuestion({ brandId: null, signal }, async () => {
    isAsked = true
  })
  await assert.rejects(asked, gone)
  assert.equal(isAsked, false)
})
