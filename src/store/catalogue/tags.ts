import { Binds } from '../bind.ts'
import type { Database, Db } from '../db.ts'
import { beginsSql, foldedSql, prefixSql } from '../folded-text.ts'
import { type RowPage, readPage } from '../page.ts'
import type { ListedValue } from './lists.ts'

/** The last tag of the page before. */
export type TagMark =
  | { readonly sort: 'name'; readonly tag: string }
  | { readonly sort: 'count'; readonly tag: string; readonly count: bigint }

export type TagPage = {
  readonly brandId: number
  readonly prefix: string
  readonly sort: TagMark['sort']
  readonly after: TagMark | null
  readonly limit: number
}

/**
 * A page of tags by name, or the most frequent first. A tag with changes that are not added up yet is summed up; the
 * others are read along an index.
 */
export async function listTags(tx: Db, page: TagPage): Promise<RowPage<ListedValue>> {
  const binds = new Binds()
  const brand = binds.add(page.brandId)
  const begins = page.prefix === '' ? 'true' : beginsSql('tag', prefixSql(page.prefix, binds))
  const after = page.after === null ? 'true' : afterSql(page.after, binds)
  const order = ORDERS[page.sort]
  const limit = binds.add(page.limit)
  return readPage(tx, {
    text: `with changed as materialized (
        select tag, sum(count) as count, max(at) filter (where count > 0) as at from tag_changes
        where brand_id = ${brand} and ${begins} group by tag
      ), found as (
        (select tag, count, last_seen_at from tag_counts
         where brand_id = ${brand} and count > 0 and ${begins} and ${after} and tag <> all(array(select tag from changed))
         order by ${order} limit ${limit})
        union all
        select c.tag, c.count + coalesce(t.count, 0), greatest(c.at, t.last_seen_at)
        from changed as c left join tag_counts as t on t.brand_id = ${brand} and t.tag = c.tag
      )
      select tag as value, count::float8 as count, last_seen_at as "lastSeenAt" from found
      where count > 0 and ${after} order by ${order} limit ${limit}`,
    values: binds.values,
    ...(page.after === null ? { name: FIRST_TAGS[page.sort][page.prefix === '' ? 'all' : 'found'] } : {}),
    limit: page.limit,
    kind: 'rows',
  })
}

/** The names of the statements of first pages. A name stands for one text, and the text differs by these two. */
const FIRST_TAGS = {
  name: { all: 'tags_by_name', found: 'found_tags_by_name' },
  count: { all: 'tags_by_count', found: 'found_tags_by_count' },
} as const

const ORDERS = { name: `${foldedSql('tag')}, tag`, count: 'count desc, tag' } as const

function afterSql(mark: TagMark, binds: Binds): string {
  const tag = `${binds.add(mark.tag)}::text collate "C"`
  if (mark.sort === 'name') return `(${foldedSql('tag')}, tag) > (${foldedSql(tag)}, ${tag})`
  const count = `${binds.add(mark.count)}::bigint`
  return `count <= ${count} and (count < ${count} or tag > ${tag})`
}

/**
 * Adds changes to the counts of tags, and gives the number of changes. A tag that nobody carries any more has no row, so
 * that an erasure leaves no text of a person behind. Counts are written in the order of their keys, so that two workers
 * never wait for each other in a circle; the rows that are deleted are locked already.
 */
export async function foldTags(database: Database, rowsMax: number): Promise<number> {
  return database.asEngine(async (tx) => {
    const { rows } = await tx.query<{ brandId: number; tag: string; count: bigint; changes: number }>(
      `with part as (
         select brand_id, id from tag_changes order by brand_id, id limit $1 for update skip locked
       ), gone as (
         delete from tag_changes as c using part where c.brand_id = part.brand_id and c.id = part.id
         returning c.brand_id, c.tag, c.at, c.count
       ), summed as (
         select brand_id, tag, sum(count) as count, count(*)::integer as changes,
           coalesce(max(at) filter (where count > 0), '-infinity') as given_at
         from gone group by brand_id, tag
       ), added as (
         insert into tag_counts as t (brand_id, tag, count, last_seen_at)
         select brand_id, tag, count, given_at from summed order by brand_id, tag
         on conflict (brand_id, tag) do update set count = t.count + excluded.count,
           last_seen_at = greatest(t.last_seen_at, excluded.last_seen_at)
         returning t.brand_id, t.tag, t.count
       )
       select added.brand_id as "brandId", added.tag, added.count, summed.changes
       from added join summed using (brand_id, tag)`,
      [rowsMax],
    )
    const empty = rows.filter(({ count }) => count === 0n)
    if (empty.length > 0) {
      await tx.query(
        `delete from tag_counts where count = 0
           and (brand_id, tag) in (select * from unnest($1::integer[], $2::text[]))`,
        [empty.map(({ brandId }) => brandId), empty.map(({ tag }) => tag)],
      )
    }
    return rows.reduce((sum, { changes }) => sum + changes, 0)
  })
}
