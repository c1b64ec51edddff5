import { Database } from '../../../src/store/db.ts'
import { JOURNEY_READER } from '../../../src/store/journeys/work.ts'
import { PATIENT } from '../../support/database/database.ts'
import { isDone } from '../../support/events/counting.ts'
import { databaseUrl } from '../lab/apps.ts'
import type { Lab } from '../lab/lab.ts'
import { waitForPrimary } from '../lab/patroni.ts'
import type { HookCall } from '../lab/providers.ts'
import { markIn } from './bodies.ts'
import { acknowledgedCount, type Ledger } from './ledger.ts'
import { findTraces, findUnmerged, MARK_PATTERN } from './people.ts'
import { countReaders, wrongAnswers } from './questions.ts'
import { type Counted, findWrongSums } from './sums.ts'
import { JOURNEY_SENDS } from './world.ts'

/** A worker that died leaves leases behind, which must run out; a clock that was 5 minutes ahead leaves schedules. */
const SETTLE_MAX_MS = 420_000

export type Counts = {
  readonly acknowledged: number
  /** Of them, by the client library. */
  readonly byLibrary: number
  /** Questions that were answered. */
  readonly answers: number
  /** Sessions of such questions on standbys, when the load had ended. */
  readonly readers: number
  readonly lost: number
  readonly storedTwice: number
  readonly shownTwice: number
  readonly unsent: number
  readonly wrongSums: number
  /** Calls of the client library that it gave up: none, because no failover takes as long as its deadline. */
  readonly rejected: number
  /** Answers of a standby that are older than the documented lag, or have more than there is. */
  readonly wrongAnswers: number
  /** Questions to a standby that were refused while a primary was there. */
  readonly refusedQuestions: number
  /** Examples of what is wrong, for the person who looks for the cause. */
  readonly wrong: readonly string[]
}

/** Compares what was acknowledged in a round with what is stored and what arrived, when all work is done. */
export async function countRound(lab: Lab, round: string, ledger: Ledger): Promise<Counts> {
  const primary = await waitForPrimary()
  const url = databaseUrl(primary, 'postgres')
  const database = new Database({ ...PATIENT, url, connectionsMax: 3, name: 'beckon lab' })
  try {
    const readers = await countReaders(lab)
    const brandId = await findBrand(database, lab.brand.id)
    const unsettled = await settle(database, brandId)
    const place = { lab, database, brandId, ledger }
    const stored = await storedCounts(database, brandId, round)
    const wrong = {
      lost: await findLost(place, stored),
      storedTwice: findStoredTwice(place, stored),
      ...findMisshown(place, unsettled),
      wrongSums: await findWrongSums(place),
      rejected: ledger.library.rejected,
      wrongAnswers: wrongAnswers(ledger.asked.questions),
      refusedQuestions: ledger.asked.refused,
    }
    lab.providers.sandbox.inbox.clear()
    return {
      acknowledged: acknowledgedCount(ledger),
      byLibrary: ledger.library.acknowledged,
      answers: ledger.asked.questions.filter(({ found }) => found !== null).length,
      readers,
      lost: wrong.lost.length,
      storedTwice: wrong.storedTwice.length,
      shownTwice: wrong.shownTwice.length,
      unsent: wrong.unsent.length,
      wrongSums: wrong.wrongSums.length,
      rejected: wrong.rejected.length,
      wrongAnswers: wrong.wrongAnswers.length,
      refusedQuestions: wrong.refusedQuestions.length,
      wrong: Object.entries(wrong).flatMap(([name, all]) => all.slice(0, 5).map((one) => `${name}: ${one}`)),
    }
  } finally {
    await database.close()
  }
}

async function findLost(
  { lab, database, brandId, ledger }: Counted,
  stored: Stored,
): Promise<readonly string[]> {
  const hooks = hooksIn(lab, 'notification.sent')
  const entered = hooksIn(lab, 'journey.entered')
  return [
    ...ledger.events.filter((mark) => !stored.events.has(mark)).map((mark) => `event ${mark}`),
    ...ledger.imported.filter((id) => !stored.devices.has(id)).map((id) => `device ${id}`),
    ...ledger.pushes.filter(({ mark }) => !stored.pushes.has(mark)).map(({ mark }) => `push ${mark}`),
    ...ledger.pushes.filter(({ id }) => !hooks.has(id)).map(({ mark }) => `webhook of ${mark}`),
    ...ledger.walkers.filter(({ mark }) => !entered.has(mark)).map(({ mark }) => `webhook of entry ${mark}`),
    ...(await findUnmerged(database, brandId, ledger)),
    ...(await findTraces(database, brandId, ledger)),
  ]
}

function findStoredTwice({ lab, ledger }: Counted, stored: Stored): readonly string[] {
  const hooks = hooksIn(lab, 'notification.sent')
  const entered = hooksIn(lab, 'journey.entered')
  return [
    ...[...stored.events, ...stored.pushes, ...stored.devices]
      .filter(([, count]) => count > 1)
      .map(([mark, count]) => `${mark} × ${count}`),
    ...ledger.pushes
      .filter(({ id }) => (hooks.get(id)?.size ?? 1) > 1)
      .map(({ mark }) => `webhook of ${mark}`),
    ...ledger.walkers
      .filter(({ mark }) => (entered.get(mark)?.size ?? 1) > 1)
      .map(({ mark }) => `webhook of entry ${mark}`),
  ]
}

/** Messages that devices showed twice, and messages that they did not get. */
function findMisshown({ lab, ledger }: Counted, unsettled: readonly string[]) {
  const shown = shownIn(lab)
  const tokens = ledger.walkers.map(({ token }) => token)
  return {
    shownTwice: [
      ...[...shown.byMark].filter(([, ids]) => ids.size > 1).map(([mark]) => mark),
      ...tokens.filter((token) => (shown.byToken.get(token)?.size ?? 0) > JOURNEY_SENDS),
    ],
    unsent: [
      ...unsettled,
      ...ledger.pushes.flatMap(({ mark, wanted }) =>
        wanted
          .filter((address) => !shown.byMark.has(`${mark} ${address}`))
          .map((address) => `${mark} ${address}`),
      ),
      ...tokens.filter((token) => (shown.byToken.get(token)?.size ?? 0) < JOURNEY_SENDS),
    ],
  }
}

async function findBrand(database: Database, externalId: string): Promise<number> {
  const { rows } = await database.query<{ id: number }>('select id from brands where external_id = $1', [
    externalId,
  ])
  const [row] = rows
  if (row === undefined) throw new Error(`no brand ${externalId}`)
  return row.id
}

/** Waits until nothing is left to do; what is still left then is returned. */
async function settle(database: Database, brandId: number): Promise<readonly string[]> {
  const giveUpAt = performance.now() + SETTLE_MAX_MS
  for (;;) {
    const left = await unsettledWork(database, brandId)
    if (left.length === 0 || performance.now() > giveUpAt) return left
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

async function unsettledWork(database: Database, brandId: number): Promise<readonly string[]> {
  const { rows } = await database.query<{ what: string; count: number }>(
    `select 'notifications ' || state as what, count(*)::integer as count from notifications
       where brand_id = $1 and state not in ('sent', 'cancelled', 'failed') group by 1
     union all select 'webhooks waiting', count(*)::integer from webhook_messages
       where brand_id = $1 and state = 'waiting' having count(*) > 0
     union all select 'people on the way', count(*)::integer from enrolments
       where brand_id = $1 and state = 'active' having count(*) > 0
     union all select 'batches that journeys have not read', count(*)::integer
       from event_batches as b join event_readers as r using (brand_id)
       where brand_id = $1 and reader = $2 and (b.tx, b.id) > (r.tx, r.batch_id) having count(*) > 0`,
    [brandId, JOURNEY_READER],
  )
  const left = rows.map(({ what, count }) => `${what}: ${count}`)
  return (await isDone(database, brandId)) ? left : [...left, 'events to count']
}

type Stored = {
  readonly events: ReadonlyMap<string, number>
  readonly pushes: ReadonlyMap<string, number>
  readonly devices: ReadonlyMap<string, number>
}

async function storedCounts(database: Database, brandId: number, round: string): Promise<Stored> {
  const count = async (sql: string): Promise<ReadonlyMap<string, number>> => {
    const { rows } = await database.query<{ mark: string; count: number }>(sql, [brandId, `${round}-%`])
    return new Map(rows.map(({ mark, count: number }) => [mark, number]))
  }
  return {
    events: await count(
      `select attributes ->> 'mark' as mark, count(*)::integer as count from events
       where brand_id = $1 and attributes ->> 'mark' like $2 group by 1`,
    ),
    pushes: await count(
      `select mark, count(*)::integer as count
       from (select substring(content::text from '${MARK_PATTERN}') as mark from notifications where brand_id = $1) as texts
       where mark like $2 group by 1`,
    ),
    devices: await count(
      `select subscription_id as mark, count(*)::integer as count from subscriptions
       where brand_id = $1 and subscription_id like $2 group by 1`,
    ),
  }
}

type Shown = {
  /** For each mark and device the collapse ids: a later message with the same id replaces the first. */
  readonly byMark: ReadonlyMap<string, ReadonlySet<string | null>>
  readonly byToken: ReadonlyMap<string, ReadonlySet<string | null>>
}

function shownIn({ providers }: Lab): Shown {
  const byMark = new Map<string, Set<string | null>>()
  const byToken = new Map<string, Set<string | null>>()
  for (const { address, collapseId, payload } of providers.sandbox.inbox.newest()) {
    const mark = markIn(payload)
    if (mark === null) add(byToken, address, collapseId)
    else add(byMark, `${mark} ${address}`, collapseId)
  }
  return { byMark, byToken }
}

function add(to: Map<string, Set<string | null>>, key: string, id: string | null): void {
  const ids = to.get(key)
  if (ids === undefined) to.set(key, new Set([id]))
  else ids.add(id)
}

/** For each notification or person the ids of the calls that told of it: one, however often it was called. */
function hooksIn({ providers }: Lab, wanted: HookCall['type']): ReadonlyMap<string, ReadonlySet<string>> {
  const told = providers.hookCalls.filter(({ type }) => type === wanted)
  return new Map(
    [...Map.groupBy(told, ({ about }) => about)].map(([id, calls]) => [
      id,
      new Set(calls.map((call) => call.id)),
    ]),
  )
}
