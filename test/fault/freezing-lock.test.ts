import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type FilePlace, folderPlace } from '../../src/intake/event-files/file-place.ts'
import { sweepFiles } from '../../src/intake/event-files/sweep.ts'
import { withOwner } from '../../src/store/db.ts'
import { lockEventFiles } from '../../src/store/event-files/frozen-weeks.ts'
import { anyEvents, needing } from '../../src/store/event-needs.ts'
import { moveAfterMerge } from '../../src/store/people/merge-moving.ts'
import { SESSION_LOCKS } from '../../src/store/session-locks.ts'
import { freshDatabase } from '../support/database/database.ts'
import { DAY_MS, openFiles, openFrozen, rawEvent } from '../support/events/frozen.ts'
import { until } from '../support/until.ts'

const { url, database, brand, drop } = await freshDatabase()
const files = await openFiles()
const folder = folderPlace(files.folder)
/** Happens when a file has its place and is not listed yet. */
let onKept = async (): Promise<void> => undefined
const place: FilePlace = {
  ...folder,
  keep: async (made) => {
    await folder.keep(made)
    await onKept()
  },
}
const frozen = await openFrozen({ url, database }, files, place)
const cold = frozen.openCold()
after(async () => {
  await cold.close()
  await frozen.close()
  await drop()
})

/** Ends the session that has the lock of freezing, as an operator or a broken connection may. The process that froze learns of it later. */
async function endLockSession(): Promise<void> {
  const { rows } = await withOwner(url, async (owner) =>
    owner.query<{ isEnded: boolean }>(
      `select pg_terminate_backend(pid) as "isEnded" from pg_locks
     where locktype = 'advisory' and classid = $1 and objid = $2 and granted
       and database = (select oid from pg_database where datname = current_database())`,
      SESSION_LOCKS.eventFiles,
    ),
  )
  assert.deepEqual(rows, [{ isEnded: true }])
}

/** Another process takes the lock, and looks for files on no list. */
async function sweepElsewhere(): Promise<readonly string[]> {
  return withOwner(url, async (owner) => {
    await until(async () => lockEventFiles(owner), { what: 'the lock of the ended session' })
    return (await sweepFiles(database, folder, Date.now())).removed.filter((name) => name.includes('brand='))
  })
}

test('a file that is about to be listed stays when the process that freezes loses its lock', async () => {
  const { brandId } = await brand()
  const events = Array.from({ length: 30 }, (_, at) => rawEvent(at, { attributes: '{"sku": "A"}' }))
  const stored = await frozen.store(brandId, events)
  await frozen.round()
  await frozen.drop()
  await cold.asEngine(async (tx) =>
    moveAfterMerge(tx, { brandId, mergeId: 1n, survivorId: 1n, absorbedId: 2n }, 1_000),
  )
  await frozen.untilFree()
  const swept: (readonly string[])[] = []
  onKept = async () => {
    await endLockSession()
    swept.push(await sweepElsewhere())
  }
  // The round may fail at its end, because its session is gone.
  await frozen.once(8 * DAY_MS).catch(() => undefined)
  onKept = async () => undefined
  assert.deepEqual(swept, [[]])
  const { rows } = await cold.asEngine(async (tx) =>
    tx.query<{ id: bigint }>(
      'select id from events where brand_id = $1 order by id',
      needing([brandId], anyEvents(brandId)),
    ),
  )
  assert.deepEqual(
    rows.map(({ id }) => id),
    stored,
  )
  const { count } = await database.query('select from events where brand_id = $1', [brandId])
  assert.equal(count, 0, 'the new file is listed, and has the only copy of all events')
})
