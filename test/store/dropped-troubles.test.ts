import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { EventFiles } from '../../src/intake/event-files/ask-files.ts'
import { FileCache } from '../../src/intake/event-files/file-cache.ts'
import { QuestionScratch } from '../../src/intake/event-files/question-scratch.ts'
import { StoreOutage } from '../../src/intake/event-files/store-outage.ts'
import { askPaths } from '../../src/intake/events/walks.ts'
import { QuestionTooLong } from '../../src/intake/events/within-limit.ts'
import { DuckDbError } from '../../src/runtime/duckdb/duckdb-error.ts'
import { DuckDbProcess } from '../../src/runtime/duckdb/duckdb-process.ts'
import { QueueFull } from '../../src/runtime/limits/limiter.ts'
import { S3Store } from '../../src/runtime/object-store/s3-store.ts'
import type { Database } from '../../src/store/db.ts'
import type { Paths } from '../../src/store/events/paths.ts'
import { isTimedOut, isUnavailable } from '../../src/store/unavailable.ts'
import { freshDatabase } from '../support/database/database.ts'
import { DAY_MS, OLD_WEEK, openFilesWith, openFrozen, rawEvent } from '../support/events/frozen.ts'
import { placeOf } from '../support/object-store/place.ts'
import { startS3 } from '../support/object-store/s3-server.ts'

/** Fails once, and counts statements. */
class OnceFailingDuckDb extends DuckDbProcess {
  failure: Error | null = null
  statements = 0

  override async run(
    ...[statement, options]: Parameters<DuckDbProcess['run']>
  ): ReturnType<DuckDbProcess['run']> {
    this.statements += 1
    const { failure } = this
    this.failure = null
    if (failure !== null) throw failure
    return super.run(statement, options)
  }
}

const { url, database, brand, drop } = await freshDatabase()
const opened = await openFilesWith((plan) => new OnceFailingDuckDb(plan))
const { eventFiles, lines, log } = opened
const { duckdb } = eventFiles
const frozen = await openFrozen({ url, database }, opened)
const cold = frozen.openCold()
/** Brings fewer events than the questions read. */
const narrow = frozen.openCold({ bringMax: 5 })
const s3 = await startS3()
const store = new S3Store(placeOf(s3.server))
after(async () => {
  for (const each of [narrow, cold, store, frozen]) await each.close()
  await s3.stop()
  await drop()
})

/** A brand whose old events have no rows, and whose new ones are in no file. */
async function brandWithDropped(): Promise<number> {
  const { brandId } = await brand()
  const fresh = [100, 101, 102].map((place) => rawEvent(place, { receivedAt: Date.now() - place }))
  await frozen.store(brandId, [...Array.from({ length: 30 }, (_, place) => rawEvent(place)), ...fresh])
  await frozen.round()
  await frozen.drop()
  duckdb.statements = 0
  return brandId
}

async function ask(brandId: number, of: Database, changed: Partial<EventFiles> = {}): Promise<Paths> {
  const span = { fromAt: OLD_WEEK.startsAt - DAY_MS, toAt: Date.now() + DAY_MS }
  const query = { brandId, startEvent: 'buy', depth: 2, withinMs: DAY_MS, ...span, pathsMax: 5 }
  const watch = { signal: new AbortController().signal, tell: null }
  return askPaths({ database: of, eventFiles: { ...eventFiles, ...changed } }, query, watch)
}

const PASSING: readonly (readonly [string, Error])[] = [
  ['a DuckDB that ended', new DuckDbError('ended', 'the process ended (SIGKILL)')],
  ['a file that could not be opened', new DuckDbError('failed', 'IO Error: Cannot open file "x"')],
  ['a line that is full', new QueueFull('too many are waiting')],
]

for (const [what, failure] of PASSING) {
  test(`${what} refuses no question for its dropped events, which the next one reads`, async () => {
    const brandId = await brandWithDropped()
    duckdb.failure = failure
    await assert.rejects(ask(brandId, narrow), (cause) => isUnavailable(cause) && !isTimedOut(cause))
    assert.equal(duckdb.statements, 1, 'no event is brought')
    assert.notEqual((await ask(brandId, narrow)).users, 0)
  })
}

test('a value that DuckDB cannot compare leaves the question to rows, dropped ones among them', async () => {
  const brandId = await brandWithDropped()
  const answer = await ask(brandId, cold)
  duckdb.failure = new DuckDbError('failed', "Conversion Error: Could not convert string 'x' to INT32")
  assert.deepEqual(await ask(brandId, cold), answer)
  assert.ok(duckdb.statements > 2, 'events are brought')
})

test('a question with more rows to copy than it may is too long, and one beside others may come again', async () => {
  const brandId = await brandWithDropped()
  const { folder } = eventFiles.scratch
  const own = new QuestionScratch({ folder, bytesMax: 10 })
  await assert.rejects(ask(brandId, narrow, { scratch: own }), QuestionTooLong)
  assert.match(lines.splice(0).join(), /may copy 10 bytes.*too large for event files/)
  const shared = new QuestionScratch({ folder, allBytesMax: 10 })
  const refused = ask(brandId, narrow, { scratch: shared })
  await assert.rejects(refused, (cause) => isUnavailable(cause) && !isTimedOut(cause))
})

test('a question with larger files than the cache is too long, and the log names the setting', async () => {
  const brandId = await brandWithDropped()
  const empty = join(eventFiles.scratch.folder, 'cache')
  const cache = new FileCache({ folder: empty, bytesMax: 1, store, outage: new StoreOutage(log) })
  await assert.rejects(ask(brandId, narrow, { cache }), QuestionTooLong)
  assert.match(lines.splice(0).join(), /BECKON_EVENT_FILES_CACHE allows 1/)
})

test('a file that is missing refuses no question for its dropped events', async () => {
  const brandId = await brandWithDropped()
  await rm(join(frozen.folder, `brand=${brandId}`), { recursive: true })
  await assert.rejects(ask(brandId, narrow), (cause) => isUnavailable(cause) && !isTimedOut(cause))
  assert.equal(duckdb.statements, 1)
})
