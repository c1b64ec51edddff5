import { CHUNK_RULES } from '../../rules/push.ts'
import type { Db } from '../db.ts'
import { momentOf, NOW } from './chunks.ts'
import { UNHELD } from './sending-hold.ts'

/**
 * Releases scheduled notifications to one subscriber that are due, all in one statement, and gives their number.
 * Recipients are looked up now: a person gets the push on the devices they have by then. A notification without
 * recipients is finished with an audience of 0.
 */
export async function releaseSends(
  db: Db,
  { rowsMax, now }: { readonly rowsMax: number; readonly now?: number },
): Promise<number> {
  const { rows } = await db.query<{ isDue: boolean }>(LOOK, [momentOf(now)])
  if (rows[0]?.isDue !== true) return 0
  const { count } = await db.query(RELEASE, [momentOf(now), rowsMax, recipientsMax, smallMax])
  return count
}

const CARRIES = `(due.tag is null or s.tags @> array[due.tag] or exists (
  select from profiles as p where p.brand_id = s.brand_id and p.id = s.profile_id and p.tags @> array[due.tag]))`

const { recipientsMax, smallMax } = CHUNK_RULES

/**
 * Most looks find nothing, so the look is a statement of its own with one plan; the release is planned for the rows at
 * hand.
 */
const LOOK = {
  name: 'look_for_due_sends',
  text: `with moment (now) as materialized (select coalesce($1::timestamptz, clock_timestamp()))
    select exists (
      select from notifications where plan_at <= ${NOW} and mode = 'send' and wall is null order by plan_at limit 1
    ) and ${UNHELD} as "isDue"`,
}

/**
 * Recipients are found row by row, by index, so that no plan can go wrong however little the server knows of its
 * tables. `offset 0` keeps the person's devices apart from the platform and the state: without statistics PostgreSQL would read
 * all devices of the brand on that platform for each person.
 */
const RELEASE = `with moment (now) as materialized (select coalesce($1::timestamptz, clock_timestamp())
  ), due as materialized (
    select brand_id, id, platform, profile_id, subscription_ids, tag, expires_at from notifications
    where plan_at <= ${NOW} and mode = 'send' and wall is null
    order by plan_at limit $2 for update skip locked
  ), found as materialized (
    select due.brand_id, due.id, due.platform, due.expires_at, array(
      select s.id from (
        select * from subscriptions where brand_id = due.brand_id and profile_id = due.profile_id offset 0
      ) as s
      where due.subscription_ids is null and s.platform = due.platform and s.state = 'live' and ${CARRIES}
      union all
      select s.id from subscriptions as s
      where s.brand_id = due.brand_id and s.id = any(due.subscription_ids) and s.state = 'live' and ${CARRIES}
    ) as recipients
    from due
  ), cut as (
    insert into chunks (brand_id, platform, notification_id, first_id, last_id, subscription_ids, remaining, is_bulk,
      ready_at, expires_at)
    select found.brand_id, found.platform, found.id, part.first_id, part.last_id, part.ids, part.size,
      cardinality(found.recipients) > $4, ${NOW}, found.expires_at
    from found cross join lateral (
      select min(id) as first_id, max(id) as last_id, array_agg(id order by id) as ids, count(*) as size
      from unnest(found.recipients) with ordinality as listed (id, place) group by (place - 1) / $3::integer
    ) as part
  )
  update notifications as n
  set plan_at = null, audience = cardinality(found.recipients), pending = cardinality(found.recipients),
    state = case when cardinality(found.recipients) = 0 then 'sent' else 'queued' end,
    finished_at = case when cardinality(found.recipients) = 0 then clock_timestamp() end
  from found where n.brand_id = found.brand_id and n.id = found.id`
