import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKey } from '../../src/store/brand/api-keys.ts'
import { ensureBrand } from '../../src/store/brand/brands.ts'
import { Database, type Db } from '../../src/store/db.ts'
import { startCluster } from '../support/database/cluster.ts'
import { PATIENT } from '../support/database/database.ts'
import { endWith } from '../support/processes/beckon.ts'
import { until } from '../support/until.ts'

const PORT = 'select inet_server_port() as port'

test('reads that may be a little old go to a standby, and to the primary while it is behind', async (context) => {
  const { nodes, url } = await startCluster(context, 2)
  const [primary, standby] = nodes
  assert.ok(primary !== undefined && standby !== undefined)
  const options = { ...PATIENT, connectionsMax: 2, name: 'beckon test', author: 'system' } as const
  const database = new Database({ ...options, url: url(nodes), readUrl: standby.url, readLagMaxMs: 300 })
  endWith(context, async () => database.close())
  const [own, other] = [await makeBrand(database, 'own'), await makeBrand(database, 'other')]

  await context.test('a standby that keeps up answers', async () => {
    await until(async () => (await database.asReader(own, portIn)) === standby.port, {
      what: 'a read of the standby',
    })
    await until(async () => (await portIn(database.reader)) === standby.port, {
      what: 'a count on the standby',
    })
  })

  await context.test('a brand sees its own rows there and no others, and writes nothing', async () => {
    const seen = await database.asReader(own, async (tx) => ({
      port: await portIn(tx),
      brands: (await tx.query<{ id: number }>('select distinct brand_id as id from api_keys')).rows,
      role: (await tx.query('select current_user::text as role')).rows,
    }))
    assert.equal(seen.port, standby.port)
    assert.deepEqual(seen.brands, [{ id: own }])
    assert.deepEqual(seen.role, [{ role: 'beckon_app' }])
    assert.notEqual(own, other)
  })

  await context.test(
    'a question that is cut off there is not asked again, and the standby goes on',
    async () => {
      const leaving = new AbortController()
      const asks: { readonly port: number; readonly pid: number }[] = []
      const asked = database.asQuestion({ brandId: own, signal: leaving.signal }, async (tx) => {
        const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid')
        asks.push({ port: await portIn(tx), pid: rows[0]?.pid ?? 0 })
        leaving.abort(new Error('the caller hung up'))
        await tx.query('select pg_sleep(600)')
      })
      await assert.rejects(asked, { message: 'the caller hung up' })
      assert.deepEqual(
        asks.map(({ port }) => port),
        [standby.port],
      )
      const { signal } = new AbortController()
      assert.equal(await database.asQuestion({ brandId: own, signal }, portIn), standby.port)
      const isEnded = async (): Promise<boolean> => {
        const { count } = await database.reader.query('select from pg_stat_activity where pid = $1', [
          asks[0]?.pid,
        ])
        return count === 0
      }
      await until(isEnded, { what: 'the session to be ended' })
    },
  )

  await context.test('while its replay is paused the primary answers, with the newest rows', async () => {
    await standby.run('select pg_wal_replay_pause()')
    const late = await makeBrand(database, 'late')
    await until(async () => (await database.asReader(own, portIn)) === primary.port, {
      what: 'a read of the primary',
    })
    const { rows } = await database.reader.query<{ id: number }>(
      'select id from brands where external_id = $1',
      ['late'],
    )
    assert.deepEqual(rows, [{ id: late }])
    await standby.run('select pg_wal_replay_resume()')
    await until(async () => (await database.asReader(own, portIn)) === standby.port, {
      what: 'the standby again',
    })
  })

  await context.test('a standby that is gone costs nothing but its speed', async () => {
    await standby.stop()
    assert.equal(await database.asReader(own, portIn), primary.port)
  })
})

async function portIn(db: Db): Promise<number> {
  const { rows } = await db.query<{ port: number }>(PORT)
  return rows[0]?.port ?? 0
}

async function makeBrand(db: Db, externalId: string): Promise<number> {
  const now = Date.now()
  const { id: brandId } = await ensureBrand(db, { externalId, name: externalId, now })
  const key = { kind: 'secret', plaintext: `key of ${externalId}`, scopes: [], label: 'test' } as const
  await createKey(db, { ...key, brandId, now })
  return brandId
}
