import { countBrand } from '../../../src/pipeline/events/counting.ts'
import type { Database } from '../../../src/store/db.ts'
import { oldQuarterAt, quarterSql } from '../../../src/store/events/active-quarters.ts'
import { COUNTING_READER, ensureReaders } from '../../../src/store/events/readers.ts'
import { until } from '../until.ts'

const ROUNDS_MAX = 2_000

/** Lets the pipeline do all there is to do for a brand: count every event, finish every merge and erasure. */
export async function catchUp(database: Database, brandId: number): Promise<void> {
  await ensureReaders(database, COUNTING_READER)
  // Transactions of other tests on the same server hold the horizon back for a moment.
  await until(
    async () => {
      for (let round = 0; round < ROUNDS_MAX && (await countBrand(database, brandId)); round++);
      return isDone(database, brandId)
    },
    { what: 'the pipeline to catch up' },
  )
}

/** Whether nothing is left to count, to move or to erase. */
export async function isDone(database: Database, brandId: number): Promise<boolean> {
  const { rows } = await database.query<{ isDone: boolean }>(
    `select exists (select from event_readers where brand_id = $1 and reader = $2)
       and not exists (select from event_batches as b join event_readers as r using (brand_id)
         where brand_id = $1 and reader = $2 and (b.tx, b.id) > (r.tx, r.batch_id))
       and not exists (select from profile_merges where brand_id = $1 and state = 'moving')
       and not exists (select from erasures where brand_id = $1) as "isDone"`,
    [brandId, COUNTING_READER],
  )
  return rows[0]?.isDone === true
}

export type Miscount = { readonly profileId: bigint; readonly eventName: string | null }

/** Where the counters do not say what the events say. */
export async function findMiscounts(database: Database, brandId: number): Promise<readonly Miscount[]> {
  const { rows } = await database.query<Miscount>(
    `with truth as (
       select profile_id, event_name, count(*) as event_count, min(event_at) as first_event_at,
         max(event_at) as last_event_at, sum(ltv) as ltv
       from events where brand_id = $1 group by profile_id, event_name
     ), totals as (
       select profile_id, sum(event_count) as event_count, min(first_event_at) as first_event_at,
         max(last_event_at) as last_event_at, sum(ltv) as ltv from truth group by profile_id
     )
     select coalesce(t.profile_id, c.profile_id) as "profileId", coalesce(t.event_name, c.event_name) as "eventName"
     from truth as t
     full join (select * from profile_event_counters where brand_id = $1) as c using (profile_id, event_name)
     where (t.event_count, t.first_event_at, t.last_event_at)
       is distinct from (c.event_count, c.first_event_at, c.last_event_at)
     union all
     select coalesce(t.profile_id, a.profile_id), null
     from totals as t full join (select * from profile_activity where brand_id = $1) as a using (profile_id)
     where (t.event_count, t.first_event_at, t.last_event_at, t.ltv)
       is distinct from (a.event_count, a.first_event_at, a.last_event_at, a.ltv)
     union all
     select a.profile_id, 'active quarters' from profile_activity as a
     where a.brand_id = $1 and array(select distinct q from unnest(a.active_quarters) as q where q > $2 order by q)
       <> array(
         select distinct q from (
           select ${quarterSql('event_at')} as q from events
           where brand_id = $1 and profile_id = a.profile_id
         ) as done
         where q > $2 order by q)`,
    [brandId, oldQuarterAt(Date.now())],
  )
  return rows
}
