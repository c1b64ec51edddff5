import { GOAL_LIMITS } from '../../rules/goals.ts'
import type { Db } from '../db.ts'

export type ResultRetention = {
  readonly now: number
  /** Rows about campaigns that finished, and goal events that happened, before this instant are deleted. */
  readonly before: number
  readonly rowsMax: number
}

/**
 * Deletes the rows about people of campaigns that finished long ago, at most `rowsMax` of each kind, and gives their
 * number. The figures stay: the triggers that would change them run at the end of the statement, after the setting. A
 * campaign whose goal may still be reached keeps its people, and a conversion stays as long as its message.
 */
export async function purgeResults(db: Db, { now, before, rowsMax }: ResultRetention): Promise<number> {
  const { rows } = await db.query<{ removed: number }>(
    `with over as materialized (
       select brand_id, id from campaigns
       where finished_at < $1 and (goal_event is null or goal_until < $2)
     ), people as (
       delete from campaign_people as p using (${peopleSql('campaign_people')}) as part
       where p.brand_id = part.brand_id and p.campaign_id = part.campaign_id and p.profile_id = part.profile_id
       returning 1
     ), packed as (
       delete from campaign_blocks as b using (
         select listed.* from over cross join lateral (
           select brand_id, campaign_id, block, id from campaign_blocks
           where brand_id = over.brand_id and campaign_id = over.id limit $3
         ) as listed
         limit $3
       ) as part
       where b.brand_id = part.brand_id and b.campaign_id = part.campaign_id and b.block = part.block and b.id = part.id
       returning 1
     ), reached as (
       delete from goal_people as p using (${peopleSql('goal_people')}) as part
       where p.brand_id = part.brand_id and p.campaign_id = part.campaign_id and p.profile_id = part.profile_id
       returning 1
     ), converted as (
       delete from conversions as c using (
         select old.* from brands cross join lateral (
           select c.brand_id, c.id from conversions as c
           where c.brand_id = brands.id and c.at < $1 and not exists (
             select from notifications as n where n.brand_id = c.brand_id and n.id = c.notification_id)
           order by c.at limit $3
         ) as old
         limit $3
       ) as part
       where c.brand_id = part.brand_id and c.id = part.id
       returning 1
     )
     select ((select count(*) from people) + (select count(*) from packed) + (select count(*) from reached)
       + (select count(*) from converted))::integer as removed
     from (select set_config('beckon.keeps_results', 'on', true)) as setting`,
    [new Date(before), new Date(now - GOAL_LIMITS.lateDays * DAY_MS), rowsMax],
  )
  return rows[0]?.removed ?? 0
}

/** Some rows of campaigns that are over. */
function peopleSql(table: 'campaign_people' | 'goal_people'): string {
  return `select listed.* from over cross join lateral (
      select brand_id, campaign_id, profile_id from ${table}
      where brand_id = over.brand_id and campaign_id = over.id limit $3
    ) as listed
    limit $3`
}

const DAY_MS = 86_400_000
