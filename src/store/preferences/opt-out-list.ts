import type { Platform } from '../../rules/platforms.ts'
import type { Db } from '../db.ts'
import { type RowPage, readPage } from '../page.ts'

/** An opt-out that holds: of a person, or of one device. */
export type ListedOptOut = {
  readonly since: number
  readonly topic: string
  /** The holder and the topic, which tell two opt-outs of one instant apart. */
  readonly key: string
  readonly userId: string | null
  /** Null when the whole person opted out. */
  readonly subscriptionId: string | null
  readonly platform: Platform | null
}

/** Where a page begins: after this opt-out. */
export type OptOutMark = Pick<ListedOptOut, 'since' | 'key'>

type OptOutQuery = {
  readonly brandId: number
  /** Only opt-outs at or after this instant; null for all. */
  readonly from: number | null
  readonly topic: string | null
  readonly after: OptOutMark | null
  readonly limit: number
}

/** A page of the opt-outs of a brand, the newest first. An opt-out that was taken back is gone. */
export async function listOptOuts(tx: Db, query: OptOutQuery): Promise<RowPage<ListedOptOut>> {
  const { brandId, from, topic, after, limit } = query
  return readPage(tx, {
    text: `select o.since, o.topic, o.key, (select min(value) from profile_identities as i
        where i.brand_id = $1 and i.profile_id = o.profile_id and i.kind = 'user_id') as "userId",
        o.subscription_id as "subscriptionId", o.platform
      from (
        select held.since::timestamptz as since, held.topic, 'p ' || p.id || ' ' || held.topic as key,
          p.id as profile_id, null as subscription_id, null as platform
        from profiles as p cross join lateral jsonb_each_text(p.opt_outs) as held (topic, since)
        where p.brand_id = $1 and p.opt_outs <> '{}'
        union all
        select held.since::timestamptz, held.topic, 's ' || s.id || ' ' || held.topic, s.profile_id, s.subscription_id,
          s.platform
        from subscriptions as s cross join lateral jsonb_each_text(s.opt_outs) as held (topic, since)
        where s.brand_id = $1 and s.opt_outs <> '{}'
      ) as o
      where ($2::timestamptz is null or o.since >= $2) and ($3::text is null or o.topic = $3)
        and ($4::timestamptz is null or (o.since, o.key collate "C") < ($4, $5))
      order by o.since desc, o.key collate "C" desc limit $6`,
    values: [brandId, dateOf(from), topic, dateOf(after?.since ?? null), after?.key ?? '', limit],
    limit,
    kind: 'rows',
  })
}

function dateOf(at: number | null): Date | null {
  return at === null ? null : new Date(at)
}
