import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { firstIdAt, WEEK_MS } from '../../src/domain/events/week.ts'
import { EVENT_FILE_LIMITS } from '../../src/rules/event-files.ts'
import { type FrozenView, loadFrozenView } from '../../src/store/event-files/frozen-view.ts'
import { freshDatabase } from '../support/database/database.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const START = Date.UTC(2026, 0, 5)
const startOf = (week: number): number => START + week * WEEK_MS

type Listed = { readonly week: number; readonly isAlone?: boolean; readonly changes: number }

/** Lists a file of a week as if it were there, and notes changes of so many of its events. */
async function listFile(brandId: number, { week, isAlone = false, changes }: Listed): Promise<void> {
  const firstId = firstIdAt(startOf(week))
  await database.query(
    `insert into event_files (brand_id, first_id, end_id, path, events, bytes, least_event_at, greatest_event_at, sum_ids,
       sum_profiles, sum_ltv, columns, fence, written_at, is_alone)
     values ($1, $2, $3, $4, 1, 1, $5, $6, 0, 0, 0, '{}', '1', now(), $7)`,
    [
      brandId,
      firstId,
      firstIdAt(startOf(week + 1)),
      `week-${week}`,
      new Date(startOf(week)),
      new Date(startOf(week + 1) - 1),
      isAlone,
    ],
  )
  await database.query(
    `insert into event_file_changes (brand_id, event_id, tx, is_gone, changed_at)
     select $1, $2::bigint + place, '2', false, now() from generate_series(0, $3::integer - 1) as place`,
    [brandId, firstId, changes],
  )
}

async function viewOf(brandId: number, weeks: { readonly from: number; readonly to: number }) {
  return loadFrozenView(database, { brandId, fromAt: startOf(weeks.from), toAt: startOf(weeks.to) })
}

function pathsOf({ files }: FrozenView): readonly string[] {
  return files.map(({ path }) => path)
}

test('a question leaves out the changed events of its own files, and reads late ones of its time', async () => {
  const { brandId } = await brand()
  await listFile(brandId, { week: 0, changes: EVENT_FILE_LIMITS.changesReadMax + 1 })
  await listFile(brandId, { week: 1, isAlone: true, changes: 5 })
  await listFile(brandId, { week: 2, changes: 3 })
  const [own, late, other] = [firstIdAt(startOf(2)), firstIdAt(startOf(0)) + 2_000n, firstIdAt(startOf(0))]
  await database.query(
    `insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes)
     select id, 1, at, $1, false, 'see', 0, '{}' from unnest($2::bigint[], $3::timestamptz[]) as e (id, at)`,
    [brandId, [own, late, other], [startOf(2), startOf(2), startOf(0)].map((at) => new Date(at))],
  )
  const view = await viewOf(brandId, { from: 2, to: 3 })
  assert.deepEqual(pathsOf(view), ['week-2'])
  assert.deepEqual(view.changed.map(BigInt), [own, own + 1n, own + 2n])
  assert.deepEqual(view.late.map(BigInt), [late])
  assert.equal(
    view.hot.some(({ from, to }) => from <= late && (to === null || to > late)),
    false,
    'an event is read once',
  )
})

test('if the files of a question have too many changes together, the rows of those with the most are read', async () => {
  const { brandId } = await brand()
  const { changesReadMax, allChangesReadMax } = EVENT_FILE_LIMITS
  await listFile(brandId, { week: 0, isAlone: true, changes: allChangesReadMax - changesReadMax })
  await listFile(brandId, { week: 1, changes: changesReadMax / 2 - 1 })
  assert.deepEqual(pathsOf(await viewOf(brandId, { from: 0, to: 9 })), ['week-0', 'week-1'])
  await listFile(brandId, { week: 2, changes: changesReadMax / 2 + 1 })
  assert.deepEqual(pathsOf(await viewOf(brandId, { from: 0, to: 9 })), ['week-0', 'week-1', 'week-2'])
  await listFile(brandId, { week: 3, changes: changesReadMax / 4 })
  await listFile(brandId, { week: 4, changes: changesReadMax })
  const view = await viewOf(brandId, { from: 0, to: 9 })
  assert.deepEqual(pathsOf(view), ['week-0', 'week-1', 'week-3'])
  assert.equal(view.changed.length, allChangesReadMax - changesReadMax / 4 - 1)
  const [, second] = view.hot
  assert.deepEqual(second, { from: firstIdAt(startOf(2)), to: firstIdAt(startOf(3)) })
})
