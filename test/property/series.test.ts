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
import { atLength } from '../support/length.ts'
import { UserCalls } from '../support/people/user-calls.ts'
import { startServer } from '../support/processes/server.ts'
import { drain } from '../support/push/drain.ts'
import { acceptNotification } from '../support/push/notifications.ts'
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
const AT = fc.nat(12).map((place) => FIRST_AT + place * 23 * QUARTER_MS + 61_000)
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
  fc.record({ kind: fc.constant('click' as const), place: fc.nat(9) }),
  fc.record({ kind: fc.constant('count' as const) }),
  fc.record({ kind: fc.constant('fold' as const), rows: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ kind: fc.constant('die' as const) }),
  fc.record({ kind: fc.constant('forget' as const) }),
)
type Deed = typeof DEED extends fc.Arbitrary<infer Value> ? Value : never

/** Everything that happened, as the test saw it: an erasure and retention delete the rows, and not the numbers. */
type Ledger = {
  readonly events: Map<string, number>
  readonly counts: Map<string, number>
  /** The days of erased people, and how many people were erased. */
  readonly erasedDays: string[]
  erased: number
  readonly notifications: string[]
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count)
}

async function act(brand: TestBrand, deed: Deed, ledger: Ledger): Promise<void> {
  const { brandId } = brand
  switch (deed.kind) {
    case 'log': {
      const entry = entryOf({
        userID: deed.userID,
        event_name: deed.name,
        event_time: new Date(deed.at).toISOString(),
      })
      assert.equal((await logEntries(port, brand, [entry])).status, 200)
      add(ledger.events, `${deed.name} ${Math.floor(deed.at / QUARTER_MS) * QUARTER_MS}`, 1)
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
      add(ledger.counts, 'failed', Math.min(deed.failing, drained.length))
      add(ledger.counts, 'accepted', Math.max(0, drained.length - deed.failing))
      return
    }
    case 'click':
      add(ledger.counts, 'clicked', await click(brandId, deed.place, ledger))
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

async function click(brandId: number, place: number, { notifications }: Ledger): Promise<number> {
  const { rows } = await database.query<{ id: bigint }>(
    'select id from subscriptions where brand_id = $1 order by id offset $2 limit 1',
    [brandId, place],
  )
  const [device] = rows
  const notificationId = notifications.at(-1)
  if (device === undefined || notificationId === undefined) return 0
  const receipts = [{ notificationId, subscriptionId: device.id, kind: 'clicked', button: null } as const]
  return database.asBrand(brandId, async (tx) => saveReceipts(tx, { brandId, receipts, now: Date.now() }))
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
      add(found, `${row.name} ${row.at}`, Number(row.count))
    const wanted = new Map<string, number>()
    for (const [key, count] of ledger.events) {
      const [name, at] = key.split(' ')
      add(wanted, `${name} ${Math.floor(Number(at) / spanMs) * spanMs}`, count)
    }
    assert.deepEqual(sortedRows(found), sortedRows(wanted), `events by ${minutes} minutes`)
    for (const metric of ['accepted', 'failed', 'clicked']) {
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
  await recountActive(brandId, ledger)
}

function sortedRows(counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

async function recountActive(brandId: number, { erasedDays }: Ledger): Promise<void> {
  const { rows: days } = await database.query<{ day: string; people: number }>(
    `select day::text as day, people::integer as people from active_people
     where brand_id = $1 and span = 'day' and people <> 0 order by day`,
    [brandId],
  )
  const { rows: truth } = await database.query<{ day: string; people: number }>(
    `select (event_at at time zone 'Asia/Kathmandu')::date::text as day, count(distinct profile_id)::integer as people
     from events where brand_id = $1 group by 1`,
    [brandId],
  )
  const wanted = new Map(truth.map(({ day, people }) => [day, people]))
  for (const day of erasedDays) add(wanted, day, 1)
  assert.deepEqual(
    days.map(({ day, people }) => [day, people]),
    sortedRows(wanted),
    'people by day',
  )
  const { rows: weeks } = await database.query<{ found: number; wanted: number }>(
    `select (select coalesce(sum(people), 0) from active_people where brand_id = $1 and span = 'week')::integer as found,
       (select count(*) from active_weeks where brand_id = $1)::integer as wanted`,
    [brandId],
  )
  const [week] = weeks
  assert.ok(week !== undefined && week.found >= week.wanted, 'people by week')
  if (erasedDays.length === 0) assert.equal(week.found, week.wanted, 'people by week')
}

test('whatever is logged, sent, merged, parted, erased, forgotten and killed, series equal a recount', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(DEED, { minLength: 12, maxLength: 30 }), async (deeds) => {
      const brand = await users.mergingBrand()
      const { brandId } = brand
      await database.query(`update brands set time_zone = 'Asia/Kathmandu' where id = $1`, [brandId])
      const ledger: Ledger = {
        events: new Map(),
        counts: new Map(),
        erasedDays: [],
        erased: 0,
        notifications: [],
      }
      for (const deed of deeds) await act(brand, deed, ledger)
      await catchUp(database, brandId)
      while ((await foldSeries(database, 1_000)) > 0);
      await recount(brandId, ledger)
    }),
    { numRuns: atLength(72), endOnFailure: true },
  )
})
