import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { type RowPage, readPage } from '../page.ts'
import { STEP_ALONG_INDEX, STEP_FREELY } from '../plans.ts'
import { SUBSCRIPTION_COLUMNS, type Subscription } from '../subscriptions/subscriptions.ts'
import { type AudienceQuery, audienceSql } from './audience-sql.ts'

/** A device of an audience; in a list of people, `isFirst` marks one device of each person. */
export type AudienceMember = Subscription & { readonly isFirst: boolean }

type AudiencePage = {
  readonly query: AudienceQuery
  readonly per: 'device' | 'person'
  readonly afterId: bigint
  readonly limit: number
}

/**
 * A page of the live subscriptions of an audience now, by id. Run it in a transaction of the engine. Finding the whole
 * audience takes as long as counting it. So the next subscriptions are checked one by one first: unless the audience is
 * small, the page is among them. Where one person has many of them, each check would read all that is known of that person.
 */
export async function listAudience(tx: Db, page: AudiencePage): Promise<RowPage<AudienceMember>> {
  await tx.query(STEP_ALONG_INDEX)
  const near = (await isCrowded(tx, page)) ? null : await listReached(tx, page, LOOKED_AT_MAX)
  await tx.query(STEP_FREELY)
  return near?.hasMore === true ? near : listReached(tx, page, null)
}

/** Checking these takes about a tenth of a second, when it was in vain. */
const LOOKED_AT_MAX = 10_000

/** The devices of one person among these; an app may give everybody who is not signed in the same user id. */
const DEVICES_OF_ONE_MAX = 50

/** Whether the audience is about people, and one person has very many of the next subscriptions. */
async function isCrowded(tx: Db, { query, afterId }: AudiencePage): Promise<boolean> {
  const { exceptCampaignId = null, isLatestOnly = false } = query.narrowing ?? {}
  if (query.filter === null && exceptCampaignId === null && !isLatestOnly) return false
  const { rows } = await tx.query<{ isCrowded: boolean }>(
    `select exists (
       select from (
         select profile_id from subscriptions where brand_id = $1 and state = 'live' and id > $2 order by id limit $3
       ) as near where profile_id is not null group by profile_id having count(*) > $4
     ) as "isCrowded"`,
    [query.brandId, afterId, LOOKED_AT_MAX, DEVICES_OF_ONE_MAX],
  )
  return rows[0]?.isCrowded === true
}

async function listReached(
  tx: Db,
  { query, per, afterId, limit }: AudiencePage,
  lookedAtMax: number | null,
): Promise<RowPage<AudienceMember>> {
  const binds = new Binds()
  const brand = binds.add(query.brandId)
  const after = binds.add(afterId)
  const isNear = lookedAtMax !== null
  const members = audienceSql({ ...query, reach: isNear ? 'few' : 'everybody' }, binds)
  const from = isNear
    ? `(select * from subscriptions where brand_id = ${brand} and state = 'live' and id > ${after}
        order by id limit ${binds.add(lookedAtMax)})`
    : 'subscriptions'
  const text = `with page as materialized (
      select s.id, s.profile_id from ${from} as s where ${members} and s.id > ${after}
      order by s.id limit ${binds.add(limit)}
    )
    select ${SUBSCRIPTION_COLUMNS}, ${per === 'person' ? isFirstSql(query, binds) : 'true'} as "isFirst"
    from page cross join lateral (
      select * from subscriptions where brand_id = ${brand} and id = page.id offset 0
    ) as s order by s.id`
  return readPage(tx, { text, values: binds.values, limit, kind: 'rows' })
}

/**
 * Whether no earlier device of the person of a row `page` is in the audience. Only their first device in the page is compared
 * with all the others that they have, because one person may have very many.
 */
function isFirstSql(query: AudienceQuery, binds: Binds): string {
  const members = audienceSql({ ...query, reach: 'few' }, binds)
  return `row_number() over (partition by coalesce(page.profile_id, -page.id) order by page.id) = 1
    and not exists (select from subscriptions as s
      where ${members} and s.profile_id = page.profile_id and s.id < page.id)`
}
