import type { Figure } from '../../domain/campaigns/figures.ts'
import type { GoalSource } from '../../domain/campaigns/goal.ts'
import type { Db } from '../db.ts'

export type ResultQuery = { readonly brandId: number; readonly source: GoalSource }

/** The figures of a campaign or a journey: the counts, and the changes that are not added to them yet. */
export async function loadFigures(tx: Db, { brandId, source }: ResultQuery): Promise<readonly Figure[]> {
  const { rows } = await tx.query<Figure>(
    `select figure, part_of as "partOf", part, sum(amount)::text as amount from (
       select figure, part_of, part, amount from result_counts
       where brand_id = $1 and source = $2 and source_id = $3
       union all
       select figure, part_of, part, amount from result_changes
       where brand_id = $1 and source = $2 and source_id = $3
     ) as kept
     group by figure, part_of, part having sum(amount) <> 0`,
    [brandId, source.kind, source.id],
  )
  return rows
}

/**
 * Adds changes to the counts, and gives the number of changes. Counts are written in order, so that two workers never
 * wait for each other in a circle.
 */
export async function foldResults(db: Db, rowsMax: number): Promise<number> {
  const { rows } = await db.query<{ folded: number }>(FOLD_RESULTS, [rowsMax])
  return rows[0]?.folded ?? 0
}

/** A worker with nothing to do asks this every few seconds, so the database keeps its plan. */
const FOLD_RESULTS = {
  name: 'fold_results',
  text: `with part as (
     select brand_id, id from result_changes order by brand_id, id limit $1 for update skip locked
   ), gone as (
     delete from result_changes as c using part where c.brand_id = part.brand_id and c.id = part.id returning c.*
   ), added as (
     insert into result_counts as c (brand_id, source, source_id, figure, part_of, part, amount)
     select brand_id, source, source_id, figure, part_of, part, sum(amount) from gone
     group by brand_id, source, source_id, figure, part_of, part
     order by brand_id, source, source_id, figure, part_of, part
     on conflict (brand_id, source, source_id, figure, part_of, part) do update
     set amount = c.amount + excluded.amount
   )
   select count(*)::integer as folded from gone`,
}
