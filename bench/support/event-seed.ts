import { type Database, withOwner } from '../../src/store/db.ts'
import { maintainWeeks } from '../../src/store/events/weeks.ts'
import { entryFor } from './event-bodies.ts'

/** What lies in the store before anything is measured. */
export type EventSeed = { readonly brandId: number; readonly events: number; readonly profiles: number }

const WEEKS = 8
const WEEK_MS = 7 * 86_400_000
const NAMES = 200
/** Few enough for the time limit of a statement. */
const PART = 50_000
/** As many as there are cores in the smallest machine that is measured. */
const CONNECTIONS = 2

/** The weeks the seed falls into; a server makes only those to come. */
export async function makePastWeeks(ownerUrl: string): Promise<void> {
  await withOwner(ownerUrl, async (owner) => {
    for (let ago = WEEKS; ago >= 0; ago -= 1)
      await maintainWeeks(owner, { now: Date.now() - ago * WEEK_MS, retentionDays: 36_500 })
  })
}

/** Leaves exactly these events, evenly spread over the last weeks, and a server that has nothing left to write. */
export async function reseedEvents(database: Database, ownerUrl: string, seed: EventSeed): Promise<void> {
  await withOwner(ownerUrl, async (owner) => owner.query('truncate events, event_batches'))
  const until = Date.now()
  let next = 0
  const connection = async (): Promise<void> => {
    while (next < seed.events) {
      const first = next
      next += PART
      await insertPart(database, seed, { first, until })
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  await withOwner(ownerUrl, async (owner) => {
    await owner.query('vacuum (analyze) events')
    await owner.query('checkpoint')
  })
}

type Part = { readonly first: number; readonly until: number }

/** The number of an event gives its time, and so its id and its week; who did what is scattered by hashes. */
async function insertPart(database: Database, seed: EventSeed, { first, until }: Part): Promise<void> {
  const { attributes, context } = SAMPLE
  await database.query(
    `insert into events
       (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes, context)
     select at << 21, 1 + abs(hashint8(n)::bigint) % $5, to_timestamp(at / 1000.0), $1, false,
       'event_' || abs(hashint8(n + 7)::bigint) % ${NAMES}, 0, $7::jsonb, $8::jsonb
     from (select n, $4::bigint - (($6::bigint - n) * ${WEEKS * WEEK_MS}::bigint / $6) as at
       from generate_series($2::bigint, $3) as n) as placed`,
    [
      seed.brandId,
      first,
      Math.min(first + PART, seed.events) - 1,
      until,
      seed.profiles,
      seed.events,
      JSON.stringify(attributes),
      JSON.stringify(context),
    ],
  )
}

const SAMPLE: { readonly attributes?: object; readonly context?: object } = entryFor(1, 500)
