import type { Db } from '../../../src/store/db.ts'

/** The tags of a brand, counted from the rows of live devices and people, by name. */
export async function recountTags(db: Db, brandId: number): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.query<{ tag: string; count: number }>(
    `select tag, count(*)::integer as count from (
       select unnest(tags) as tag from profiles where brand_id = $1
       union all select unnest(tags) from subscriptions where brand_id = $1 and state = 'live'
     ) as carried group by tag order by tag collate "C"`,
    [brandId],
  )
  return new Map(rows.map(({ tag, count }) => [tag, count]))
}
