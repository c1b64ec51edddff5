import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Database } from '../../../src/store/db.ts'
import { findMiscounts } from '../../support/events/counting.ts'
import { recountTags } from '../../support/people/tag-recount.ts'
import { findEventMiscounts } from '../../support/series/recounts.ts'
import { type Fields, fieldsOf } from '../fields.ts'
import { READ_LAG_MS } from '../lab/apps.ts'
import type { Lab } from '../lab/lab.ts'
import { LabClient } from './client.ts'
import { ERASED_EVENT } from './deeds.ts'
import type { Ledger } from './ledger.ts'

const ASK_MAX_MS = 30_000

/** The three that are compared: the acknowledged of a load, the rows, and the answers of Beckon. */
export type Counted = {
  readonly lab: Lab
  readonly database: Database
  readonly brandId: number
  readonly ledger: Ledger
}

/** Where a number that Beckon keeps, or answers, is not that of the rows, when all work is done. */
export async function findWrongSums(sums: Counted): Promise<readonly string[]> {
  const { database, brandId, ledger } = sums
  // A standby may answer for series, and may be behind.
  await wait(READ_LAG_MS)
  const gone = { people: ledger.gone.length, eventName: ERASED_EVENT }
  return [
    ...(await findMiscounts(database, brandId)).map(
      ({ profileId, eventName }) => `${profileId} ${eventName}`,
    ),
    ...(await findEventMiscounts(database, brandId, gone)),
    ...(await findWrongResults(sums)),
    ...(await findWrongSeries(sums)),
    ...(await findWrongJourneys(sums)),
    ...(await findWrongTags(sums)),
  ]
}

/** A recipient who was never tried has no delivery, and is counted as failed, expired or cancelled all the same. */
async function findWrongResults({ database, brandId }: Counted): Promise<readonly string[]> {
  const { rows } = await database.query<{ id: string }>(
    `select id::text from notifications as n cross join lateral (
       select count(*) filter (where state = 'accepted') as accepted, count(*) filter (where state = 'failed') as failed,
         count(*) filter (where state = 'expired') as expired
       from all_deliveries as d where d.brand_id = $1 and d.notification_id = n.id
     ) as told
     where brand_id = $1 and (pending <> 0 or n.accepted + n.failed + n.expired + cancelled <> audience
       or n.accepted <> told.accepted or n.failed < told.failed or n.expired < told.expired)`,
    [brandId],
  )
  return rows.map(({ id }) => `notification ${id}`)
}

/**
 * The answer of `GET series`, compared with the rows. An event that is erased before it is counted is never counted, so the number of events has a
 * range; of erased people the rest is exact, because nothing was sent to them.
 */
async function findWrongSeries({ lab, database, brandId, ledger }: Counted): Promise<readonly string[]> {
  const { rows } = await database.query<{ metric: string; least: number; most: number }>(
    `select metric, least::float8 as least, coalesce(most, least)::float8 as most from (
       select 'events' as metric, count(*) as least, count(*) + $2::integer as most from events where brand_id = $1
       union all select 'people_new', count(*) + $2, null from profiles where brand_id = $1
       union all select 'accepted', coalesce(sum(accepted), 0), null from notifications where brand_id = $1
       union all select 'failed', coalesce(sum(failed), 0), null from notifications where brand_id = $1
       union all select 'expired', coalesce(sum(expired), 0), null from notifications where brand_id = $1
       union all select 'subscriptions', count(*), null from subscriptions where brand_id = $1 and state = 'live'
       union all select 'journey_entries', count(*), null from enrolments where brand_id = $1
       union all select 'journey_exits', count(*), null from enrolments where brand_id = $1 and state <> 'active'
     ) as told`,
    [brandId, ledger.gone.length],
  )
  const metrics = rows.map(({ metric }) => metric).join(',')
  const { lines } = fieldsOf((await ask(lab, `/api/v1/series?metric=${metrics}&by=day`))['series'])
  const found = new Map(listOf(lines).map(({ metric, total, counts }) => [metric, total ?? lastOf(counts)]))
  return rows
    .filter(({ metric, least, most }) => !isBetween(Number(found.get(metric)), least, most))
    .map(({ metric, least }) => `series ${metric}: ${String(found.get(metric))} for ${least}`)
}

/** The answer of `GET journeys/…/counts`, compared with the enrolments: each person who entered has one, which came to its end. */
async function findWrongJourneys({ lab, database, brandId, ledger }: Counted): Promise<readonly string[]> {
  const { rows } = await database.query<{ journey: string; told: string }>(
    `select id::text as journey, jsonb_build_object('inside', 0, 'entered', entered, 'completed', completed, 'steps', steps)::text as told
     from journeys as j cross join lateral (
       select count(*) as entered, count(*) filter (where state = 'completed') as completed from enrolments where brand_id = $1 and journey_id = j.id
     ) as people cross join lateral (
       select coalesce(jsonb_object_agg(step, sent), '{}') as steps from (
         select step, count(*) as sent from notifications where brand_id = $1 and journey_id = j.id group by step) as by_step
     ) as sends where brand_id = $1`,
    [brandId],
  )
  const wrong: string[] = []
  for (const { journey, told } of rows) {
    const { inside, entered, completed, steps } = fieldsOf(
      (await ask(lab, `/api/v1/journeys/${journey}/counts`))['counts'],
    )
    const sent = listOf(steps).flatMap(({ id, sent: count }) => (count === undefined ? [] : [[id, count]]))
    const found = { inside, entered, completed, steps: Object.fromEntries(sent) }
    if (!isDeepStrictEqual(found, JSON.parse(told)))
      wrong.push(`journey ${journey}: ${JSON.stringify(found)} for ${told}`)
  }
  return [...wrong, ...(await findWrongWalks(database, brandId, ledger))]
}

async function findWrongWalks(
  database: Database,
  brandId: number,
  { walkers }: Ledger,
): Promise<readonly string[]> {
  const { rows } = await database.query<{ mark: string }>(
    `select mark from unnest($2::text[]) as mark where array['completed'] is distinct from array(
       select e.state from enrolments as e join profile_identities as i using (brand_id, profile_id)
       where brand_id = $1 and i.kind = 'user_id' and i.value = mark)`,
    [brandId, walkers.map(({ mark }) => mark)],
  )
  return rows.map(({ mark }) => `walk of ${mark}`)
}

async function findWrongTags({ lab, database, brandId }: Counted): Promise<readonly string[]> {
  const { tags } = await ask(lab, '/api/v1/catalogue/tags?sort=name')
  const found = Object.fromEntries(listOf(tags).map(({ value, count }) => [value, count]))
  const told = Object.fromEntries(await recountTags(database, brandId))
  return isDeepStrictEqual(found, told) ? [] : [`tags: ${JSON.stringify(found)} for ${JSON.stringify(told)}`]
}

/** Asks until there is an answer: the load balancer may just have changed its mind about a machine. */
async function ask({ url, brand }: Lab, path: string): Promise<Fields> {
  const reply = await new LabClient(url, brand).insist({ path }, AbortSignal.timeout(ASK_MAX_MS))
  if (reply?.status !== 200) throw new Error(`${path}: ${reply?.status} ${reply?.text}`)
  return fieldsOf(JSON.parse(reply.text))
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : []
}

function lastOf(value: unknown): unknown {
  return Array.isArray(value) ? value.at(-1) : undefined
}

function isBetween(value: number, least: number, most: number): boolean {
  return value >= least && value <= most
}
