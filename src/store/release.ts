import { CHUNK_RULES } from '../rules/chunks.ts'
import { momentOf, NOW } from './chunks.ts'
import type { Db, Statement } from './db.ts'

/**
 * Releases scheduled notifications to one subscriber whose time has come, all of them in one statement, and gives
 * their number. Recipients are looked up now: a person gets it on the devices they have by then. Who is gone by then
 * makes an audience of nobody, and the notification is over.
 */
export async function releaseSends(
  db: Db,
  { rowsMax, now }: { readonly rowsMax: number; readonly now?: number },
): Promise<number> {
  const { count } = await db.query(releaseSql(rowsMax), [momentOf(now)])
  return count
}

const CARRIES = `(due.tag is null or s.tags @> array[due.tag] or exists (
  select from profiles as p where p.brand_id = s.brand_id and p.id = s.profile_id and p.tags @> array[due.tag]))`

/** It runs many times a second and is planned once; the planner must see how few rows there can be. */
function releaseSql(rowsMax: number): Statement {
  const limit = Math.trunc(rowsMax)
  const { recipientsMax, smallMax } = CHUNK_RULES
  const text = `with moment (now) as materialized (select coalesce($1::timestamptz, clock_timestamp())
  ), due as materialized (
    select brand_id, id, platform, profile_id, subscription_ids, tag, expires_at from notifications
    where plan_at <= ${NOW} and mode = 'send' and wall is null
    order by plan_at limit ${limit} for update skip locked
  ), found as (
    select due.brand_id, due.id, due.expires_at, s.id as recipient,
      count(*) over (partition by due.brand_id, due.id) as audience,
      row_number() over (partition by due.brand_id, due.id order by s.id) as place
    from due join subscriptions as s on s.brand_id = due.brand_id and s.profile_id = due.profile_id
      and s.platform = due.platform and s.state = 'live' and ${CARRIES}
    where due.profile_id is not null
    union all
    select due.brand_id, due.id, due.expires_at, s.id,
      count(*) over (partition by due.brand_id, due.id),
      row_number() over (partition by due.brand_id, due.id order by s.id)
    from due cross join unnest(due.subscription_ids) as listed (id)
    join subscriptions as s on s.brand_id = due.brand_id and s.id = listed.id and s.state = 'live' and ${CARRIES}
  ), cut as (
    insert into chunks (brand_id, notification_id, first_id, last_id, subscription_ids, remaining, is_bulk, ready_at,
      expires_at)
    select brand_id, found.id, min(recipient), max(recipient), array_agg(recipient order by recipient), count(*),
      audience > ${smallMax}, moment.now, expires_at
    from found cross join moment
    group by brand_id, found.id, audience, moment.now, expires_at, (place - 1) / ${recipientsMax}
    returning brand_id, notification_id, remaining
  ), sized as (
    select brand_id, notification_id, sum(remaining)::integer as audience from cut group by 1, 2
  )
  update notifications as n
  set plan_at = null, audience = coalesce(sized.audience, 0), pending = coalesce(sized.audience, 0),
    state = case when sized.audience is null then 'sent' else 'queued' end,
    finished_at = case when sized.audience is null then clock_timestamp() end
  from due left join sized on sized.brand_id = due.brand_id and sized.notification_id = due.id
  where n.brand_id = due.brand_id and n.id = due.id`
  return { name: `release ${limit}`, text }
}
