import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Postgres } from '../../src/runtime/postgres/offer.ts'
import { findPostgres, startPostgres } from '../../src/runtime/postgres/start.ts'
import { withOwner } from '../../src/store/db.ts'

/** Runs a test on a data folder of its own, and leaves neither a server nor files behind. */
async function onDataDir(work: (dataDir: string) => Promise<void>): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'beckon-postgres-'))
  try {
    await work(join(home, 'data'))
  } finally {
    if ((await findPostgres(join(home, 'data'))) !== null)
      await (await startPostgres({ dataDir: join(home, 'data') })).stop()
    await rm(home, { recursive: true, force: true })
  }
}

async function write({ url }: Postgres): Promise<void> {
  await withOwner(url, async (session) =>
    session.query(`create table kept (id int); insert into kept values (7)`),
  )
}

async function countKept({ url }: Postgres): Promise<number> {
  return withOwner(url, async (session) => (await session.query('select id from kept')).count)
}

test('a second start finds the server that runs, and a stop ends it', async () => {
  await onDataDir(async (dataDir) => {
    assert.equal(await findPostgres(dataDir), null)
    const first = await startPostgres({ dataDir })
    const second = await startPostgres({ dataDir })
    assert.deepEqual([first.adopted, second.adopted], [false, true])
    assert.equal(second.pid, first.pid)
    assert.equal(await findPostgres(dataDir), first.url)
    await second.stop()
    await first.ended
    assert.equal(await findPostgres(dataDir), null)
  })
})

test('a server killed with -9 comes back on the same address with everything committed', async () => {
  await onDataDir(async (dataDir) => {
    const first = await startPostgres({ dataDir })
    await write(first)
    process.kill(first.pid, 'SIGKILL')
    await first.ended
    const second = await startPostgres({ dataDir })
    assert.equal(second.adopted, false)
    assert.equal(second.url, first.url)
    assert.equal(await countKept(second), 1)
  })
})
