import { parseFilter } from '../../src/domain/segments/filter.ts'
import { inlineSegments } from '../../src/domain/segments/references.ts'
import type { Filter } from '../../src/domain/segments/segment.ts'
import { Binds } from '../../src/store/bind.ts'
import type { Database } from '../../src/store/db.ts'
import { audienceSql } from '../../src/store/push/audience-sql.ts'
import { call } from '../../test/support/processes/server.ts'
import type { BenchServer } from './bench-server.ts'
import { saveFigure } from './figures.ts'
import { median } from './median.ts'
import { verdict } from './verdict.ts'

const ROUNDS = 7
const PREVIEW_RATIO_MAX = 3
const STREAM_PER_SECOND_MIN = 100_000
/** As many ids as a chunk of a dense audience spans. */
const RANGE = 10_000

/** Tag and attribute and event, as the bar has it. */
const WRITTEN = {
  all: [
    { tag: 'vip' },
    { attribute: 'city', is: 'eq', value: 'Oslo' },
    { event: 'event-3', count: { gte: 2 }, within_days: 30 },
  ],
}

/** What everybody asks every day. They have no bar of their own. */
const COMMON = [
  { tag: 'vip' },
  { attribute: 'city', is: 'eq', value: 'Oslo' },
  { all: [{ tag: 'vip' }, { attribute: 'city', is: 'eq', value: 'Oslo' }] },
  { event: 'event-3', count: { gte: 2 } },
  { field: 'last_seen', is: 'within_days', value: 7 },
  { not: { event: 'event-3', within_days: 30 } },
]

/** Prints how long a preview takes against a plain count, and how fast an audience is walked chunk by chunk. */
export async function measureSegments(server: BenchServer): Promise<void> {
  await measurePreview(server)
  for (const filter of COMMON) await measureCommon(server, filter)
  await measureStream(server.database, server.brandId)
}

/** The whole call, as a caller sees it. The two take turns, so that whatever else the machine does slows both. */
async function measurePreview(server: BenchServer): Promise<void> {
  const plain: number[] = []
  const estimated: number[] = []
  const exact: number[] = []
  let told = ''
  for (let round = 0; round <= ROUNDS; round += 1) {
    plain.push(await timed(async () => server.database.query(COUNT, [server.brandId])))
    estimated.push(await timed(async () => (told = await preview(server, { filter: WRITTEN }))))
    exact.push(await timed(async () => preview(server, { filter: WRITTEN, exact: true })))
  }
  const [plainMs, estimatedMs, exactMs] = [settled(plain), settled(estimated), settled(exact)]
  const ratio = estimatedMs / plainMs
  verdict(
    `preview of ${told} in ${estimatedMs.toFixed(0)} ms, plain count(*) in ${plainMs.toFixed(0)} ms: ${ratio.toFixed(1)} times`,
    ratio <= PREVIEW_RATIO_MAX,
    `at most ${PREVIEW_RATIO_MAX} times`,
  )
  const limit = { name: 'a plain `count(*)`', rounds: plain.slice(1) }
  const previews = { unit: 'ms', limit }
  saveFigure({
    ...previews,
    what: 'preview of a tag, an attribute and an event',
    ours: estimated.slice(1),
    bar: { of: 'limit', atMost: PREVIEW_RATIO_MAX },
  })
  saveFigure({ ...previews, what: 'the same, counted to the last', ours: exact.slice(1) })
  process.stdout.write(
    `       counted to the last: ${exactMs.toFixed(0)} ms, ${(exactMs / plainMs).toFixed(1)} times\n`,
  )
}

/** The first round fills the caches. */
function settled(times: readonly number[]): number {
  return median(times.slice(1))
}

async function measureCommon(server: BenchServer, filter: object): Promise<void> {
  let told = ''
  const estimatedMs = await timed(async () => (told = await preview(server, { filter })))
  const exactMs = await timed(async () => preview(server, { filter, exact: true }))
  const times = `${estimatedMs.toFixed(0)} ms, to the last ${exactMs.toFixed(0)} ms`
  process.stdout.write(`       ${JSON.stringify(filter)}: ${told} in ${times}\n`)
}

async function preview({ port, headers }: BenchServer, body: object): Promise<string> {
  const answer = await call(port, { path: '/api/v1/segments/preview', headers, body })
  if (answer.status !== 200) throw new Error(answer.text)
  return `${String(answer.body['count'])} ± ${String(answer.body['margin'])}`
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
  saveFigure({
    what: `${last.toLocaleString('en')} devices judged chunk by chunk`,
    unit: '/s',
    ours: [perSecond],
    bar: { of: 'figure', atLeast: STREAM_PER_SECOND_MIN },
  })
  verdict(
    `${last} subscriptions judged chunk by chunk in ${tookMs.toFixed(0)} ms, ${found} of them found: ${perSecond.toFixed(0)}/s`,
    perSecond >= STREAM_PER_SECOND_MIN,
    `at least ${STREAM_PER_SECOND_MIN}/s`,
  )
}

async function openRange(database: Database, brandId: number, first: number): Promise<number> {
  const binds = new Binds()
  const filter = parsedFilter()
  const members = audienceSql(
    { brandId, platform: 'android', tag: null, filter, reach: 'few', reachesVirtual: false },
    binds,
  )
  const [from, to] = [binds.add(first), binds.add(first + RANGE - 1)]
  const { count } = await database.query(
    `select s.id, s.address, s.tags from subscriptions as s where ${members} and s.id between ${from} and ${to} order by s.id`,
    binds.values,
  )
  return count
}

function parsedFilter(): Filter {
  const parsed = parseFilter(WRITTEN, 'filter')
  if (!parsed.ok) throw new Error('the filter of the bar does not parse')
  return inlineSegments(parsed.value, new Map())
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const beganAt = performance.now()
  await work()
  return performance.now() - beganAt
}
