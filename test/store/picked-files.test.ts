import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstIdAt, WEEK_MS } from '../../src/domain/events/week.ts'
import { withOwner } from '../../src/store/db.ts'
import { anyEvents, type EventPick, needing } from '../../src/store/event-needs.ts'
import { type EventRowFilter, exportEvents, listEvents } from '../../src/store/events/list.ts'
import { maintainWeeks } from '../../src/store/events/weeks.ts'
import { moveAfterMerge } from '../../src/store/people/merge-moving.ts'
import { listTimeline } from '../../src/store/people/timeline.ts'
import { openColdDatabase } from '../support/events/cold-database.ts'
import { filterOf } from '../support/events/event-answers.ts'
import { OLD_WEEK, openFilesWith, rawEvent } from '../support/events/frozen.ts'
import { NotingDuckDb } from '../support/events/noting-duckdb.ts'

const opened = await openFilesWith((plan) => new NotingDuckDb(plan))
const { duckdb } = opened.eventFiles
const { url, database, brand, frozen, cold } = await openColdDatabase(opened)

const WEEKS = 5
const FIRST = OLD_WEEK.startsAt - (WEEKS - 1) * WEEK_MS
await withOwner(url, async (owner) => maintainWeeks(owner, { now: FIRST, retentionDays: 365 }))

const startOf = (week: number): number => FIRST + week * WEEK_MS
/** The place among all events: three come in each week, an hour after it began, and happen then. */
const PLACES = Array.from({ length: WEEKS * 3 }, (_, place) => place)
const receivedAt = (place: number): number =>
  startOf(Math.floor(place / 3)) + 3_600_000 + (place % 3) * 60_000

/** A brand whose events have no rows, and their ids. `at`: when an event happened, if not when it was received. */
async function droppedBrand(at: (place: number) => number = receivedAt) {
  const { brandId } = await brand()
  const ids = await frozen.store(
    brandId,
    PLACES.map((place) =>
      rawEvent(place, { receivedAt: receivedAt(place), at: at(place), name: 'see', attributes: '{}' }),
    ),
  )
  await frozen.round()
  await frozen.drop()
  return { brandId, ids }
}

/** The places of the events of a page, and the number of files that were read for it. */
type Look = { readonly places: readonly number[]; readonly files: number }

async function look(
  ids: readonly bigint[],
  read: () => Promise<{ readonly rows: readonly { readonly id: bigint }[] }>,
): Promise<Look> {
  duckdb.paths.clear()
  const { rows } = await read()
  return { places: rows.map(({ id }) => ids.indexOf(id)), files: duckdb.paths.size }
}

type Dropped = Awaited<ReturnType<typeof droppedBrand>>

async function exported(
  { brandId, ids }: Dropped,
  page: { readonly after: number; readonly limit: number },
  part: Partial<EventRowFilter> = {},
): Promise<Look> {
  const afterId = ids[page.after] ?? 0n
  return look(ids, async () =>
    cold.asReader(brandId, async (tx) =>
      exportEvents(tx, filterOf(brandId, part), { afterId, limit: page.limit }),
    ),
  )
}

async function listed(
  { brandId, ids }: Dropped,
  page: { readonly before: number; readonly limit: number },
  part: Partial<EventRowFilter> = {},
): Promise<Look> {
  const id = ids[page.before]
  const before = id === undefined ? null : { at: receivedAt(page.before), id }
  return look(ids, async () =>
    cold.asReader(brandId, async (tx) =>
      listEvents(tx, filterOf(brandId, part), { before, limit: page.limit }),
    ),
  )
}

test('a page by id reads the files that have enough events beside its place', async () => {
  const dropped = await droppedBrand()
  assert.deepEqual(await exported(dropped, { after: -1, limit: 2 }), { places: [0, 1], files: 1 })
  assert.deepEqual(await exported(dropped, { after: -1, limit: 3 }), { places: [0, 1, 2], files: 1 })
  assert.deepEqual(await exported(dropped, { after: -1, limit: 4 }), { places: [0, 1, 2, 3], files: 2 })
  assert.deepEqual(await exported(dropped, { after: 4, limit: 2 }), { places: [5, 6], files: 2 })
  assert.deepEqual(await exported(dropped, { after: 13, limit: 9 }), { places: [14], files: 1 })
  assert.deepEqual(await listed(dropped, { before: -1, limit: 2 }), { places: [14, 13], files: 1 })
  assert.deepEqual(await listed(dropped, { before: 13, limit: 3 }), { places: [12, 11, 10], files: 2 })
  assert.deepEqual(await listed(dropped, { before: 12, limit: 4 }), { places: [11, 10, 9, 8], files: 3 })
  assert.deepEqual(await listed(dropped, { before: 1, limit: 9 }), { places: [0], files: 1 })
})

test('a file counts as enough only if nothing but the place narrows a page', async () => {
  const dropped = await droppedBrand()
  const page = { after: -1, limit: 2 }
  const since = { fromAt: receivedAt(1) }
  assert.deepEqual(await exported(dropped, page, since), { places: [1, 2], files: 2 })
  const until = { toAt: receivedAt(1) + 1 }
  assert.deepEqual(await exported(dropped, page, until), { places: [0, 1], files: 1 })
  assert.deepEqual(await exported(dropped, page, { eventName: 'see' }), { places: [0, 1], files: WEEKS })
})

test('events of the very end of a time are not among those that are enough for a page of it', async () => {
  const toAt = receivedAt(8)
  const dropped = await droppedBrand((place) => (place > 7 ? toAt : receivedAt(place)))
  const page = { before: -1, limit: 2 }
  assert.deepEqual(await listed(dropped, page, { toAt, eventName: 'see' }), { places: [7, 6], files: 3 })
  assert.deepEqual(await listed(dropped, page, { toAt }), { places: [7, 6], files: 2 })
  const rest = { after: 6, limit: 2 }
  assert.deepEqual(await exported(dropped, rest, { toAt }), { places: [7], files: 1 })
  const { brandId, ids } = dropped
  const line = await cold.asLookUp(brandId, async (tx) =>
    listTimeline(tx, {
      brandId,
      // The people of the events 7 and 8, and of those a week later.
      profileIds: [1n, 2n],
      kinds: ['event'],
      from: null,
      to: toAt,
      after: null,
      limit: 1,
    }),
  )
  assert.deepEqual(
    line.rows.map(({ key }) => key),
    [String(ids[7])],
  )
})

test('events that were deleted since do not count as held by their file', async () => {
  const dropped = await droppedBrand()
  const { brandId, ids } = dropped
  // The first two events are of the people 1 and 2.
  for (const absorbedId of [1n, 2n]) {
    await cold.asEngine(async (tx) =>
      moveAfterMerge(tx, { brandId, mergeId: absorbedId, survivorId: 9n, absorbedId }, 1_000),
    )
  }
  await database.query('delete from events where brand_id = $1 and id = any($2)', [brandId, ids.slice(0, 2)])
  assert.deepEqual(await exported(dropped, { after: -1, limit: 2 }), { places: [2, 3], files: 2 })
  assert.deepEqual(await exported(dropped, { after: -1, limit: 1 }), { places: [2], files: 1 })
})

/** The pages by time of all events, from a place on. */
async function picked({ brandId, ids }: Dropped, pick: EventPick, sql: string): Promise<Look> {
  return look(ids, async () =>
    cold.asEngine(async (tx) =>
      tx.query<{ id: bigint }>(
        `select id from events where brand_id = $1 and ${sql}`,
        needing([brandId], { ...anyEvents(brandId), pick }),
      ),
    ),
  )
}

test('a page by time reads the files on its side of the place, those with an event of the very instant among them', async () => {
  const at = receivedAt(7)
  // One event of the fourth week comes late, and happened with one of the third.
  const dropped = await droppedBrand((place) => (place === 9 ? at : receivedAt(place)))
  const { ids } = dropped
  const [id, late] = [ids[7] ?? 0n, ids[9] ?? 0n]
  const instant = `timestamptz '${new Date(at).toISOString()}'`
  const before = async (mark: bigint): Promise<Look> =>
    picked(
      dropped,
      { kind: 'newest', limit: 2, before: { at, id: mark } },
      `(event_at, id) < (${instant}, ${mark}) order by event_at desc, id desc limit 2`,
    )
  assert.deepEqual(await before(late), { places: [7, 6], files: 4 })
  assert.deepEqual(await before(id), { places: [6, 5], files: 4 })
  const following = async (mark: bigint): Promise<Look> =>
    picked(
      dropped,
      { kind: 'following', limit: 2, after: { at, id: mark } },
      `(event_at, id) > (${instant}, ${mark}) order by event_at, id limit 2`,
    )
  assert.deepEqual(await following(id), { places: [9, 8], files: 3 })
  assert.deepEqual(await following(late), { places: [8, 10], files: 3 })
  const end = receivedAt(PLACES.length - 1)
  const last = `event_at > timestamptz '${new Date(end).toISOString()}' order by event_at, id limit 2`
  const pick = { kind: 'following', limit: 2, after: { at: end, id: firstIdAt(end) } } as const
  assert.deepEqual(await picked(dropped, pick, last), { places: [], files: 1 })
})
