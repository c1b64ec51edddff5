import type { Platform } from '../../rules/platforms.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { type RowPage, readPage } from '../page.ts'
import { userIdSql } from '../people/user-id-sql.ts'

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

/** A page of the opt-outs of a brand, the newest first. An opt-out that was taken back is gone. Run it as the engine. */
export async function listOptOuts(tx: Db, query: OptOutQuery): Promise<RowPage<ListedOptOut>> {
  const { brandId, from, topic, after, limit } = query
  const binds = new Binds()
  const brand = binds.add(brandId)
  const bound = {
    from: from === null ? null : binds.add(new Date(from)),
    topic: topic === null ? null : binds.add(topic),
    mark: after === null ? null : binds.add(new Date(after.since)),
    limit: binds.add(limit),
  }
  const conditions = [
    ...(bound.from === null ? [] : [`held.since::timestamptz >= ${bound.from}`]),
    ...(bound.topic === null ? [] : [`held.topic = ${bound.topic}`]),
    ...(after === null || bound.mark === null
      ? []
      : [`(held.since::timestamptz, ${KEY} collate "C") < (${bound.mark}, ${binds.add(after.key)})`]),
  ]
  return readPage(tx, {
    text: `select held.since::timestamptz as since, held.topic, ${KEY} as key, (${userIdSql(brand, 'holder.profile_id')}) as "userId",
        holder.subscription_id as "subscriptionId", holder.platform
      from (${HOLDERS.map((kind) => holdersSql(kind, brand, bound)).join(' union all ')}) as holder
      cross join lateral jsonb_each_text(holder.opt_outs) as held (topic, since)
      where ${['true', ...conditions].join(' and ')}
      order by held.since::timestamptz desc, ${KEY} collate "C" desc limit ${bound.limit}`,
    values: binds.values,
    limit,
    kind: 'rows',
  })
}

const KEY = `(holder.letter || ' ' || holder.id || ' ' || held.topic)`

const HOLDERS = [
  {
    letter: 'p',
    table: 'profiles',
    columns: 'h.id as profile_id, null as subscription_id, null as platform',
  },
  { letter: 's', table: 'subscriptions', columns: 'h.profile_id, h.subscription_id, h.platform' },
] as const

/** The numbers of the bound values; null for those that are not asked for. */
type Bound = {
  readonly from: string | null
  readonly topic: string | null
  readonly mark: string | null
  readonly limit: string
}

/**
 * The people, or the devices, that the opt-outs of a page can belong to. Of those whose newest opt-out is before the mark,
 * the first ones have as many opt-outs as a page, and nobody after them has a newer one. Those with an opt-out on each
 * side of the mark may have any, so all of them are looked at; few people opt out at several times. An opt-out of one
 * topic may be much older than the newest of its holder, so all holders of the topic are looked at.
 */
function holdersSql(
  { letter, table, columns }: (typeof HOLDERS)[number],
  brand: string,
  bound: Bound,
): string {
  const { from, topic, mark, limit } = bound
  const recent = from === null ? '' : `and newest_opt_out(h.opt_outs) >= ${from}`
  const select = `select '${letter}' as letter, h.id, h.opt_outs, ${columns} from ${table} as h
    where h.brand_id = ${brand} and h.opt_outs <> '{}' ${recent}`
  if (topic !== null) return `(${select} and h.opt_outs ? ${topic})`
  const first = `order by newest_opt_out(h.opt_outs) desc fetch first ${limit} rows with ties`
  if (mark === null) return `(${select} ${first})`
  return `(${select} and newest_opt_out(h.opt_outs) < ${mark} ${first})
    union all (${select} and newest_opt_out(h.opt_outs) = ${mark})
    union all (${select} and oldest_opt_out(h.opt_outs) < newest_opt_out(h.opt_outs)
      and oldest_opt_out(h.opt_outs) <= ${mark} and newest_opt_out(h.opt_outs) > ${mark})`
}
