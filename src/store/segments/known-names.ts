import type { NamedInFilter } from '../../domain/segments/names.ts'
import type { Db } from '../db.ts'

/**
 * The names of a filter that the brand never used. An event that the pipeline has not counted yet is looked up among
 * the events.
 */
export async function findUnusedNames(
  tx: Db,
  brandId: number,
  names: readonly NamedInFilter[],
): Promise<readonly NamedInFilter[]> {
  if (names.length === 0) return []
  const { rows } = await tx.query<{ place: number }>(
    `select place::integer from unnest($2::text[], $3::text[]) with ordinality as named (event_name, attribute, place)
     where case when attribute is null
       then not exists (select from event_names as n where n.brand_id = $1 and n.event_name = named.event_name)
         and not exists (select from events as e where e.brand_id = $1 and e.event_name = named.event_name)
       else not exists (select from attribute_locks as l where l.brand_id = $1
         and l.event_name = named.event_name and l.attribute = named.attribute) end
     order by place`,
    [
      brandId,
      names.map(({ eventName }) => eventName),
      names.map((name) => (name.kind === 'attribute' ? name.attribute : null)),
    ],
  )
  return rows.flatMap(({ place }) => names[place - 1] ?? [])
}
