import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { unreachable } from '../../src/domain/unreachable.ts'
import { countBrand } from '../../src/pipeline/events/counting.ts'
import { purgeNotifications } from '../../src/store/push/notification-retention.ts'
import { saveReceipts } from '../../src/store/push/receipts.ts'
import { foldSeries } from '../../src/store/series/folding.ts'
import type { TestBrand } from '../support/database/database.ts'
import { catchUp } from '../support/events/counting.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { apiOf, runJourneysAt, startJourney } from '../support/journeys/runs.ts'
import { atLength } from '../support/length.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { drain } from '../support/push/drain.ts'
import { acceptNotification } from '../support/push/notifications.ts'
import { addCount, recountActive, recountJourneys, sortedRows } from '../support/series/recounts.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const server = await startServer()
const { port, deps } = server
const { database } = deps
after(server.close)
const users = new UserCalls(server)

const DAY_MS = 86_400_000
const QUARTER_MS = 900_000
/** Late in the evening, so that days differ between zones; quarters of an hour over two weeks. */
const FIRST_AT = Math.floor(Date.now() / DAY_MS) * DAY_MS - 15 * DAY_MS - 7_200_000

const USER = fc.constantFrom('a', 'b', 'c')
/** Null is the moment of the call: a journey hears no event from before it was active. */
const AT = fc.oneof(
  fc.nat(12).map((place) => FIRST_AT + place * 23 * QUARTER_MS + 61_000),
  fc.constant(null),
)
const NAME = fc.constantFrom('view', 'buy')
const DEED = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('log' as const), userID: USER, at: AT, name: NAME }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('meet' as const),
      userID: USER,
      email: fc.constant('1@x.example'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('part' as const), userID: USER, isMoved: fc.boolean() }),
  },
  fc.record({ kind: fc.constant('erase' as const), userID: USER }),
  fc.record({ kind: fc.constant('subscribe' as const), userID: USER }),
  fc.record({ kind: fc.constant('leave' as const), place: fc.nat(9) }),
  fc.record({ kind: fc.constant('send' as const), failing: fc.nat(3) }),
  fc.record({
    kind: fc.constant('report' as const),
    place: fc.nat(9),
    receipt: fc.constantFrom('clicked', 'dismissed'),
  }),
  fc.record({
    kind: fc.constant('choose' as const),
    userID: USER,
    topics: fc.subarray(['offers', 'orders', '*']),
  }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('journey' as const), days: fc.constantFrom(0, 3) }) },
  fc.record({ kind: fc.constant('count' as const) }),
  fc.record({ kind: fc.constant('fold' as const), rows: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ kind: fc.constant('die' as const) }),
  fc.record({ kind: fc.constant('forget' as const) }),
)
type Deed = typeof DEED extends fc.Arbitrary<infer Value> ? Value : never

/** After everything else one person reaches the goal of the journey and one its end. */
const LAST: readonly Deed[] = [
  { kind: 'log', userID: 'a', at: null, name: 'view' },
  { kind: 'log', userID: 'b', at: null, name: 'view' },
  { kind: 'journey', days: 0 },
  { kind: 'log', userID: 'a', at: null, name: 'buy' },
  { kind: 'journey', days: 0 },
  { kind: 'journey', days: 3 },
]

/** A person leaves it at the end or by the goal, and may come again. */
const JOURNEY = {
  trigger: { event: 'view' },
  steps: [{ id: 'pause', wait: { minutes: 30 } }],
  goal: { event: 'buy' },
  reentry: 'always',
}

/** Everything that happened, as the test saw it: an erasure and retention delete the rows, and not the numbers. */
type Ledger = {
  readonly events: Map<string, number>
  readonly counts: Map<string, number>
  /** The days of erased people, and how many people were erased. */
  readonly erasedDays: string[]
  erased: number
  readonly notifications: string[]
}

async function act(brand: TestBrand, deed: Deed, ledger: Ledger): Promise<void> {
  const { brandId } = brand
  switch (deed.kind) {
    case 'log': {
      const at = deed.at ?? Date.now()
      const entry = entryOf({
        userID: deed.userID,
        event_name: deed.name,
        event_time: new Date(at).toISOString(),
      })
      assert.equal((await logEntries(port, brand, [entry])).status, 200)
      addCount(ledger.events, `${deed.name} ${Math.floor(at / QUARTER_MS) * QUARTER_MS}`, 1)
      return
    }
    case 'meet':
      await users.post(brand, 'create', { nv: [{ userID: deed.userID, email: deed.email }] })
      return
    case 'part':
      if (deed.isMoved) await catchUp(database, brandId)
      await users.post(brand, 'unmerge', { userID: deed.userID })
      return
    case 'erase': {
      await catchUp(database, brandId)
      const days = await daysOf(brandId, deed.userID)
      const { body } = await users.post(brand, 'delete', { nv: [{ userID: deed.userID }] })
      if (Number(body['processed']) === 0) return
      ledger.erasedDays.push(...days)
      ledger.erased += 1
      return
    }
    case 'subscribe':
      await users.post(brand, 'create', { nv: [{ userID: deed.userID }] })
      await seedSubscriptions(database, { brandId, userId: deed.userID })
      return
    case 'leave':
      await database.query(
        `update subscriptions set state = case state when 'live' then 'gone' else 'live' end where brand_id = $1 and id = (
           select id from subscriptions where brand_id = $1 order by id offset $2 limit 1)`,
        [brandId, deed.place],
      )
      return
    case 'send': {
      ledger.notifications.push(await acceptNotification(database, { brandId, target: { kind: 'all' } }))
      let sent = 0
      const drained = await drain(database, {
        judge: () => {
          sent += 1
          return sent <= deed.failing ? { state: 'failed', reason: 'refused' } : {}
        },
      })
      addCount(ledger.counts, 'failed', Math.min(deed.failing, drained.length))
      addCount(ledger.counts, 'accepted', Math.max(0, drained.length - deed.failing))
      return
    }
    case 'report':
      addCount(ledger.counts, deed.receipt, await report(brandId, deed, ledger))
      return
    case 'choose':
      addCount(ledger.counts, 'opt_outs', await choose(brand, deed.userID, deed.topics))
      return
    case 'journey':
      await runJourneysAt(database, brandId, Date.now() + deed.days * DAY_MS)
      return
    case 'count':
      await countBrand(database, brandId)
      return
    case 'fold':
      await foldSeries(database, deed.rows)
      return
    case 'die':
      // A worker that is killed leaves a transaction that is rolled back.
      await assert.rejects(
        database.asEngine(async (tx) => {
          await foldSeries(tx, 1_000)
          throw new Error('killed')
        }),
      )
      return
    case 'forget':
      await purgeNotifications(database, { before: Date.now() + DAY_MS, rowsMax: 1_000 })
      return
    default:
      unreachable(deed)
  }
}

type Report = { readonly place: number; readonly receipt: 'clicked' | 'dismissed' }

async function report(
  brandId: number,
  { place, receipt: kind }: Report,
  { notifications }: Ledger,
): Promise<number> {
  const { rows } = await database.query<{ id: bigint }>(
    'select id from subscriptions where brand_id = $1 order by id offset $2 limit 1',
    [brandId, place],
  )
  const [device] = rows
  const notificationId = notifications.at(-1)
  if (device === undefined || notificationId === undefined) return 0
  const receipts = [{ notificationId, subscriptionId: device.id, kind, button: null } as const]
  return database.asBrand(brandId, async (tx) => saveReceipts(tx, { brandId, receipts, now: Date.now() }))
}

/** Replaces the opt-outs of a person, and returns how many are new. */
async function choose(brand: TestBrand, userID: string, topics: readonly string[]): Promise<number> {
  const path = '/api/v1/user/preferences'
  const headers = keyHeaders(brand)
  const before = await call(port, { path: `${path}?userID=${userID}`, headers })
  const { status } = await call(port, { method: 'PUT', path, headers, body: { userID, opt_outs: topics } })
  if (status !== 200) return 0
  const old: readonly unknown[] = Object(before.body['preferences'])['opt_outs'] ?? []
  return topics.filter((topic) => !old.includes(topic)).length
}

async function daysOf(brandId: number, userId: string): Promise<readonly string[]> {
  const { rows } = await database.query<{ day: string }>(
    `select distinct (event_at at time zone 'Asia/Kathmandu')::date::text as day from events
     where brand_id = $1 and profile_id = (
       select profile_id from profile_identities where brand_id = $1 and kind = 'user_id' and value = $2)`,
    [brandId, userId],
  )
  return rows.map(({ day }) => day)
}

const SUM = `select metric, name, minutes, (extract(epoch from starts_at) * 1000)::float as at, count from series where brand_id = $1`

async function recount(brandId: number, ledger: Ledger): Promise<void> {
  const { rows } = await database.query<{
    metric: string
    name: string
    minutes: number
    at: number
    count: bigint
  }>(SUM, [brandId])
  for (const minutes of [15, 60]) {
    const spanMs = minutes * 60_000
    const found = new Map<string, number>()
    for (const row of rows.filter(({ metric, minutes: of }) => metric === 'events' && of === minutes))
      addCount(found, `${row.name} ${row.at}`, Number(row.count))
    const wanted = new Map<string, number>()
    for (const [key, count] of ledger.events) {
      const [name, at] = key.split(' ')
      addCount(wanted, `${name} ${Math.floor(Number(at) / spanMs) * spanMs}`, count)
    }
    assert.deepEqual(sortedRows(found), sortedRows(wanted), `events by ${minutes} minutes`)
    for (const metric of ['accepted', 'failed', 'clicked', 'dismissed', 'opt_outs']) {
      const sum = rows
        .filter((row) => row.metric === metric && row.minutes === minutes)
        .reduce((total, { count }) => total + Number(count), 0)
      assert.equal(sum, ledger.counts.get(metric) ?? 0, metric)
    }
  }
  const { rows: facts } = await database.query<{ live: number; level: number; people: number; made: number }>(
    `select (select count(*) from subscriptions where brand_id = $1 and state = 'live')::integer as live,
       (select coalesce(sum(count), 0) from series
         where brand_id = $1 and metric = 'subscriptions' and minutes = 0)::integer as level,
       (select count(*) from profiles where brand_id = $1)::integer as people,
       (select coalesce(sum(count), 0) from series
         where brand_id = $1 and metric = 'people_new' and minutes = 60)::integer as made`,
    [brandId],
  )
  const [fact] = facts
  assert.ok(fact !== undefined)
  assert.equal(fact.level, fact.live, 'live subscriptions')
  assert.equal(fact.made, fact.people + ledger.erased, 'people who were made')
  await recountJourneys(database, brandId)
  await recountActive(database, brandId, ledger)
}

test('whatever is logged, sent, merged, parted, erased, forgotten and killed, series equal a recount', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(DEED, { minLength: 12, maxLength: 30 }), async (deeds) => {
      const brand = await users.mergingBrand()
      const { brandId } = brand
      const api = apiOf(port, brand)
      for (const name of ['offers', 'orders']) await api('POST', '/api/v1/topics', { name, title: name })
      await startJourney(api, JOURNEY)
      await users.post(brand, 'create', { nv: ['a', 'b', 'c'].map((userID) => ({ userID })) })
      await database.query(`update brands set time_zone = 'Asia/Kathmandu' where id = $1`, [brandId])
      const ledger: Ledger = {
        events: new Map(),
        counts: new Map(),
        erasedDays: [],
        erased: 0,
        notifications: [],
      }
      for (const deed of [...deeds, ...LAST]) await act(brand, deed, ledger)
      await catchUp(database, brandId)
      while ((await foldSeries(database, 1_000)) > 0);
      await recount(brandId, ledger)
    }),
    { numRuns: atLength(72), endOnFailure: true },
  )
})
