import assert from 'node:assert/strict'
import { rename } from 'node:fs/promises'
import { test } from 'node:test'
import { findServer } from '../../src/runtime/postgres/find-server.ts'
import { databaseFolder } from '../../src/runtime/postgres/start-server.ts'
import { childrenOf, freshFolder, type RunningBeckon, startBeckon } from '../support/processes/beckon.ts'
import { until } from '../support/until.ts'

async function isReady({ url }: RunningBeckon): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

test('a PostgreSQL that dies under a running Beckon is started again, and the child processes never notice', async (context) => {
  const folder = await freshFolder(context)
  const beckon = await startBeckon(context, { BECKON_DATA_DIR: folder })
  const children = await childrenOf(beckon.pid)
  const server = await findServer(databaseFolder(folder))
  process.kill(server?.pid ?? 0, 'SIGKILL')
  const findNew = async () => {
    const found = await findServer(databaseFolder(folder))
    return found?.pid === server?.pid ? null : found
  }
  await until(async () => (await findNew()) !== null, { what: 'the database to be started again' })
  await until(async () => isReady(beckon), { what: 'the database to be back' })
  assert.deepEqual(await childrenOf(beckon.pid), children)
  beckon.send('SIGTERM')
  assert.deepEqual(await beckon.ended, { code: 0, signal: null })
  assert.equal(await findServer(databaseFolder(folder)), null)
})

test('a database that was taken away is not replaced by an empty one', async (context) => {
  const folder = await freshFolder(context)
  const beckon = await startBeckon(context, { BECKON_DATA_DIR: folder })
  const place = databaseFolder(folder)
  const server = await findServer(place)
  await rename(place, `${place}-away`)
  process.kill(server?.pid ?? 0, 'SIGKILL')
  await until(() => /the database is gone from/.test(beckon.stderr()), { what: 'a word about it' })
  await rename(`${place}-away`, place)
  await until(async () => isReady(beckon), { what: 'the database to be back' })
})
