import assert from 'node:assert/strict'
import { once } from 'node:events'
import { access, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { findPostgres, startPostgres } from '../../src/runtime/postgres/start-postgres.ts'
import { withOwner } from '../../src/store/db.ts'
import { onDataFolder, spawnStart, start, startElsewhere } from '../support/database/data-folder.ts'
import { LENT_FROM } from '../support/processes/quiet-port.ts'

type Address = { readonly url: string }

async function write({ url }: Address): Promise<void> {
  await withOwner(url, async (owner) =>
    owner.query(`create table kept (id int); insert into kept values (7)`),
  )
}

async function countKept({ url }: Address): Promise<number> {
  return withOwner(url, async (owner) => (await owner.query('select id from kept')).count)
}

async function untilThere(check: () => Promise<boolean>): Promise<void> {
  // Only a guard against a wait in vain.
  const giveUpAt = performance.now() + 4 * 60_000
  while (!(await check())) {
    assert.ok(performance.now() < giveUpAt, 'waited too long')
    await wait(1)
  }
}

test('a second start finds the server that runs, and a stop ends it', async () => {
  await onDataFolder(async (dataDir) => {
    assert.equal(await findPostgres(dataDir), null)
    const first = await start(dataDir)
    const second = await start(dataDir)
    assert.deepEqual([first.adopted, second.adopted], [false, true])
    assert.equal(second.pid, first.pid)
    assert.equal(await findPostgres(dataDir), first.url)
    await second.stop()
    await first.ended
    assert.equal(await findPostgres(dataDir), null)
  })
})

test('the end of a server that another process started is noticed', async () => {
  await onDataFolder(async (dataDir) => {
    const { pid } = await startElsewhere(dataDir)
    const adopted = await start(dataDir)
    assert.deepEqual([adopted.adopted, adopted.pid], [true, pid])
    process.kill(pid, 'SIGKILL')
    await adopted.ended
    assert.equal((await start(dataDir)).adopted, false)
  })
})

test('processes that start at once on a new folder get the same server', async () => {
  await onDataFolder(async (dataDir) => {
    const started = await Promise.all([1, 2, 3].map(async () => startElsewhere(dataDir)))
    assert.equal(new Set(started.map(({ url }) => url)).size, 1)
    assert.equal(started.filter(({ adopted }) => !adopted).length, 1)
  })
})

test('a server outlives the process that started it, and keeps what was committed', async () => {
  await onDataFolder(async (dataDir) => {
    const first = await startElsewhere(dataDir)
    await write(first)
    const second = await start(dataDir)
    assert.deepEqual([second.adopted, second.pid], [true, first.pid])
    assert.equal(await countKept(second), 1)
  })
})

test('a server killed with -9 comes back on the same address with everything committed', async () => {
  await onDataFolder(async (dataDir) => {
    let server = await start(dataDir)
    await write(server)
    for (let round = 0; round < 3; round += 1) {
      process.kill(server.pid, 'SIGKILL')
      await server.ended
      const next = await start(dataDir)
      assert.deepEqual([next.adopted, next.url], [false, server.url])
      // Otherwise an outgoing call of any program could have the port by now.
      assert.ok(Number(new URL(next.url).port) < LENT_FROM, next.url)
      assert.equal(await countKept(next), 1)
      server = next
    }
  })
})

for (const moment of ['postgres-password', 'postgres.new-', 'postgres', 'postgres.log']) {
  test(`a first start killed with -9 when ${moment} appears is made good by the next`, async () => {
    await onDataFolder(async (dataDir) => {
      const starter = spawnStart(dataDir)
      // The last moments are near the end of the start, so the process may have ended by itself before the kill.
      const ended = once(starter, 'exit')
      const names = async (): Promise<readonly string[]> => readdir(dataDir).catch(() => [])
      await untilThere(async () => (await names()).some((name) => name.replace(/(?<=new-).*/, '') === moment))
      starter.kill('SIGKILL')
      await ended
      const server = await start(dataDir)
      await write(server)
      assert.equal(await countKept(server), 1)
      assert.deepEqual(
        (await names()).filter((name) => name.startsWith('postgres.new-')),
        [],
      )
    })
  })
}

test('a pid file whose number belongs to another process now does not hinder a start', async () => {
  await onDataFolder(async (dataDir) => {
    const first = await start(dataDir)
    await write(first)
    process.kill(first.pid, 'SIGKILL')
    await first.ended
    const file = join(dataDir, 'postgres/postmaster.pid')
    const [, ...rest] = (await readFile(file, 'utf8')).split('\n')
    await writeFile(file, [process.ppid, ...rest].join('\n'))

    assert.equal(await findPostgres(dataDir), null)
    const second = await startElsewhere(dataDir)
    assert.equal(await countKept(second), 1)
    assert.equal(process.kill(process.ppid, 0), true)
  })
})

test('a server is safe as it is: loopback, password, and a power cut loses nothing acknowledged', async () => {
  await onDataFolder(async (dataDir) => {
    const server = await startPostgres({ dataDir })
    const { rows } = await withOwner(server.url, async (owner) =>
      owner.query(`select name, setting from pg_settings where name in
        ('fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'listen_addresses') order by name`),
    )
    assert.deepEqual(
      rows.map((row) => Object.values(row).join(' ')),
      [
        'data_checksums on',
        'fsync on',
        'full_page_writes on',
        'listen_addresses 127.0.0.1',
        'synchronous_commit on',
      ],
    )
    assert.equal((await stat(join(dataDir, 'postgres-password'))).mode & 0o777, 0o600)
    const wrong = new URL(server.url)
    wrong.password = 'guess'
    await assert.rejects(
      withOwner(wrong.href, async () => undefined),
      /password authentication failed/,
    )
  })
})

test('a setting in local.conf has the last word', async () => {
  await onDataFolder(async (dataDir) => {
    const first = await start(dataDir)
    await first.stop()
    await writeFile(join(dataDir, 'postgres/local.conf'), `work_mem = '11MB'\n`)
    const second = await start(dataDir)
    const { rows } = await withOwner(second.url, async (owner) => owner.query('show work_mem'))
    assert.deepEqual(rows, [{ work_mem: '11MB' }])
  })
})

test('a server that cannot start says why in one sentence', async () => {
  await onDataFolder(async (dataDir) => {
    await (await start(dataDir)).stop()
    await writeFile(join(dataDir, 'postgres/PG_VERSION'), '17\n')
    await assert.rejects(start(dataDir), /was made by PostgreSQL 17, and this Beckon runs 18/)
    await writeFile(join(dataDir, 'postgres/PG_VERSION'), '18\n')
    await writeFile(join(dataDir, 'postgres/local.conf'), 'no_such_setting = 1\n')
    await assert.rejects(
      start(dataDir),
      /PostgreSQL did not start: unrecognized configuration parameter "no_such_setting" .*\(more in .*postgres\.log\)/,
    )
    await access(join(dataDir, 'postgres.log'))
  })
})
