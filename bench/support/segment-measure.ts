import type { Filter } from '../../src/domain/segment.ts'
import { Binds } from '../../src/store/bind.ts'
import type { Database } from '../../src/store/db.ts'
import { audienceSql } from '../../src/store/push/audience-sql.ts'
import { countMembers } from '../../src/store/segments/members.ts'
import { median } from './median.ts'
import { verdict } from './verdict.ts'

const ROUNDS = 7
const PREVIEW_RATIO_MAX = 3
const STREAM_PER_SECOND_MIN = 100_000
/** As many ids as a chunk of a dense audience spans. */
const RANGE = 10_000

/** Tag and attribute and event, as the bar has it. */
const FILTER: Filter = {
  kind: 'all',
  of: [
    { kind: 'tag', tag: 'vip' },
    { kind: 'attribute', attribute: 'city', comparison: { kind: 'equality', is: 'eq', value: 'Oslo' } },
    { kind: 'event', event: 'event-3', count: { is: 'gte', value: 2 }, withinDays: 30, where: [] },
  ],
}

/** Prints how long a preview takes against a plain count, and how fast an audience is walked chunk by chunk. */
export async function measureSegments(database: Database, brandId: number): Promise<void> {
  await measurePreview(database, brandId)
  await measureStream(database, brandId)
}

/** The two take turns, so that whatever else the machine does slows both. */
async function measurePreview(database: Database, brandId: number): Promise<void> {
  const plain: number[] = []
  const preview: number[] = []
  let size = 0
  for (let round = 0; round <= ROUNDS; round += 1) {
    const plainMs = await timed(async () => database.query(COUNT, [brandId]))
    const previewMs = await timed(async () => {
      const counts = await countMembers(database, { brandId, filter: FILTER, now: Date.now() })
      size = counts[0]?.count ?? 0
    })
    // The first round fills the caches.
    if (round === 0) continue
    plain.push(plainMs)
    preview.push(previewMs)
  }
  const ratio = median(preview) / median(plain)
  verdict(
    `preview of ${size} in ${median(preview).toFixed(0)} ms, plain count(*) in ${median(plain).toFixed(0)} ms: ${ratio.toFixed(1)} times`,
    ratio <= PREVIEW_RATIO_MAX,
    `at most ${PREVIEW_RATIO_MAX} times`,
  )
}

const COUNT = `select count(*) from subscriptions where brand_id = $1 and platform = 'android' and state = 'live'`

/** Range by range, as workers open chunks: how many subscriptions are judged in a second. */
async function measureStream(database: Database, brandId: number): Promise<void> {
  const { rows } = await database.query<{ last: bigint }>(
    'select max(id) as last from subscriptions where brand_id = $1',
    [brandId],
  )
  const last = Number(rows[0]?.last ?? 0n)
  let found = 0
  const tookMs = await timed(async () => {
    for (let first = 1; first <= last; first += RANGE) found += await openRange(database, brandId, first)
  })
  const perSecond = (last / tookMs) * 1_000
  verdict(
    `${last} subscriptions judged chunk by chunk in ${tookMs.toFixed(0)} ms, ${found} of them found: ${perSecond.toFixed(0)}/s`,
    perSecond >= STREAM_PER_SECOND_MIN,
    `at least ${STREAM_PER_SECOND_MIN}/s`,
  )
}

async function openRange(database: Database, brandId: number, first: number): Promise<number> {
  const binds = new Binds()
  const members = audienceSql(
    { brandId, platform: 'android', tag: null, filter: FILTER, reach: 'few' },
    binds,
  )
  const [from, to] = [binds.add(first), binds.add(first + RANGE - 1)]
  const { count } = await database.query(
    `select s.id, s.address, s.tags from subscriptions as s where ${members} and s.id between ${from} and ${to} order by s.id`,
    binds.values,
  )
  return count
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const beganAt = performance.now()
  await work()
  return performance.now() - beganAt
}
