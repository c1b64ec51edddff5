import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replySuccess } from '../../src/http/reply.ts'
import { CommitUnknown } from '../../src/store/connection/commit-marks.ts'
import { Database } from '../../src/store/db.ts'
import { isUnavailable } from '../../src/store/unavailable.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { tenantRoute } from '../support/reference/routes.ts'

test('503 with Retry-After, never 401, while the database is away; the process stays alive', async (t) => {
  // Port 1 of loopback is nobody's.
  const database = new Database({ url: 'postgres://x:x@127.0.0.1:1/x', connectionsMax: 2, name: 'test' })
  const { port, close } = await startServer({ deps: { database } })
  t.after(async () => {
    await close()
    await database.close()
  })

  const headers = { authorization: 'Bearer bk_secret_any' }
  const { status, body, headers: replied } = await call(port, { path: '/api/v1/brand', headers })
  assert.equal(status, 503)
  assert.equal(body['code'], 'database_away')
  assert.match(String(replied['retry-after']), /^[34]$/)
  const ready = await call(port, { path: '/readyz' })
  assert.equal(ready.status, 503)
  assert.deepEqual(Object(ready.body['checks']).database, { ok: false, detail: 'not reachable' })
  assert.equal((await call(port, { path: '/healthz' })).status, 200)
  assert.equal((await call(port, { path: '/metrics' })).status, 200)
})

test('503 for a request whose connection the database ends, and 200 for the next', async (t) => {
  let end = async (pid: number): Promise<void> => server.asOwner(`select pg_terminate_backend(${pid})`)
  const cut = tenantRoute({
    body: 'none',
    handler: async ({ database }, { caller }) =>
      database.asBrand(caller.brandId, async (tx) => {
        const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
        await end(rows[0]?.pid ?? 0)
        await tx.query('select 1')
        return replySuccess({})
      }),
  })
  const server = await startServer({ routes: [cut] })
  t.after(server.close)
  const headers = keyHeaders(await server.brand())
  assert.equal((await call(server.port, { method: 'POST', path: '/own', headers })).status, 503)
  end = async () => undefined
  assert.equal((await call(server.port, { method: 'POST', path: '/own', headers })).status, 200)
})

test('503 outcome_unknown for a call that may have been stored, and database_away for one that only reads', async (t) => {
  const server = await startServer({
    routes: [
      tenantRoute({ body: 'none', lane: 'reads', handler: loseOutcome }),
      tenantRoute({ method: 'GET', body: 'none', handler: loseOutcome }),
      tenantRoute({ path: '/read', body: 'none', isRead: true, handler: loseOutcome }),
    ],
  })
  t.after(server.close)
  const headers = keyHeaders(await server.brand())
  const replies = []
  for (const [method, path] of [
    ['POST', '/own'],
    ['GET', '/own'],
    ['POST', '/read'],
  ] as const) {
    const { status, body, headers: replied } = await call(server.port, { method, path, headers })
    assert.match(String(replied['retry-after']), /^[34]$/)
    replies.push([status, body['code']])
  }
  assert.deepEqual(replies, [
    [503, 'outcome_unknown'],
    [503, 'database_away'],
    [503, 'database_away'],
  ])
})

test('a mistake in our SQL is not the database being away', () => {
  for (const code of ['42601', '23505', '22P02', '40001'])
    assert.equal(isUnavailable(withCode(code)), false, code)
  for (const code of ['57P01', '53300', '08006', 'ECONNREFUSED', '57014'])
    assert.equal(isUnavailable(withCode(code)), true, code)
  assert.equal(isUnavailable(new Error('Connection terminated unexpectedly')), true)
  assert.equal(isUnavailable(null), false)
})

function withCode(code: string): Error {
  return Object.assign(new Error('x'), { code })
}

async function loseOutcome(): Promise<never> {
  throw new CommitUnknown('the outcome of a commit is unknown')
}
