import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { QuestionScratch, ScratchFull, TooManyRows } from '../../src/intake/event-files/question-scratch.ts'
import { askPaths } from '../../src/intake/events/walks.ts'
import { freshDatabase } from '../support/database/database.ts'
import { DAY_MS, OLD_WEEK, openFrozen, rawEvent } from '../support/events/frozen.ts'

const { url, database, brand, drop } = await freshDatabase()
const frozen = await openFrozen({ url, database })
const folder = await mkdtemp(join(tmpdir(), 'beckon-scratch-'))
after(async () => {
  await rm(folder, { recursive: true, force: true })
  await frozen.close()
  await drop()
})

function bytes(count: number): Readable {
  return Readable.from([Buffer.alloc(count)])
}

test('a question may copy so many bytes and no more, alone and together with others', async () => {
  const scratch = new QuestionScratch({ folder, bytesMax: 10, allBytesMax: 15 })
  await scratch.lend(async (copy) => {
    const path = await copy(bytes(10), 'rows.csv')
    assert.equal((await readFile(path ?? '')).length, 10)
    await assert.rejects(copy(bytes(1), 'people.csv'), TooManyRows)
  })
  await scratch.lend(async (copy) => {
    await copy(bytes(9), 'rows.csv')
    await assert.rejects(
      scratch.lend(async (other) => other(bytes(9), 'rows.csv')),
      ScratchFull,
    )
  })
  await scratch.lend(async (copy) => {
    assert.equal(await copy(bytes(0), 'rows.csv'), null)
    await copy(bytes(10), 'rows.csv')
  })
  assert.deepEqual(await readdir(folder), [], 'nothing stays')
})

test('a question with more rows than may be copied is answered by its rows', async () => {
  const { brandId } = await brand()
  const fresh = Array.from({ length: 50 }, (_, place) => rawEvent(place, { receivedAt: Date.now() - place }))
  await frozen.store(brandId, [rawEvent(1), rawEvent(2), ...fresh])
  await frozen.round()
  const watch = { signal: new AbortController().signal, tell: null }
  const range = { fromAt: OLD_WEEK.startsAt - DAY_MS, toAt: Date.now() + DAY_MS }
  const query = { brandId, startEvent: 'buy', depth: 2, withinMs: DAY_MS, ...range, pathsMax: 5 }
  const small = { ...frozen.eventFiles, scratch: new QuestionScratch({ folder, bytesMax: 100 }) }
  const rows = await askPaths({ database, eventFiles: null }, query, watch)
  assert.deepEqual(await askPaths({ database, eventFiles: small }, query, watch), rows)
  assert.equal(frozen.eventFiles.duckdb.pid, null, 'DuckDB was not asked')
  assert.deepEqual(await askPaths({ database, eventFiles: frozen.eventFiles }, query, watch), rows)
  assert.notEqual(frozen.eventFiles.duckdb.pid, null)
  assert.deepEqual(frozen.lines, [], 'neither is a failure')
})

test('a start removes the rows of processes that have ended, and leaves those of others alone', async () => {
  const [dead, alive] = [spawn('true'), spawn('sleep', ['600'])]
  try {
    await once(dead, 'exit')
    const names = [`${dead.pid}-a`, `${process.pid}-b`, `${alive.pid}-c`, `${alive.pid}-old`, 'odd']
    for (const name of names) {
      await mkdir(join(folder, name), { recursive: true })
      await writeFile(join(folder, name, 'rows.csv'), 'personal')
    }
    const hourAgo = Date.now() / 1_000 - 3_600
    await utimes(join(folder, `${alive.pid}-old`), hourAgo, hourAgo)
    await new QuestionScratch({ folder }).clean()
    assert.deepEqual(await readdir(folder), [`${alive.pid}-c`])
  } finally {
    alive.kill()
  }
  await new QuestionScratch({ folder: join(folder, 'missing') }).clean()
})
