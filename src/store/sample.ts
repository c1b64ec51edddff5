/** Rows of a brand, evenly spread over the ids of a table. */
export type SampleShape = {
  readonly table: 'profiles' | 'subscriptions'
  /** The columns of the sample; `id` and `weight` are added. */
  readonly columns: string
  /** The brand's number among the values. */
  readonly brand: string
  readonly groups: number
  readonly groupSize: number
}

/**
 * A select of sampled rows. The range of ids is divided into equal groups, and the first rows of each are read: as many
 * probes of the primary key as there are groups. How far apart their ids are says how many rows the group has; `weight` is
 * the number of rows that a row stands for, so that a sum of weights is an estimate of a count. With `offset 0` the ends of
 * the range are looked up once, and not wherever a group names them.
 */
export function sampleSql({ table, columns, brand, groups, groupSize }: SampleShape): string {
  const end = (order: string): string =>
    `(select id from ${table} where brand_id = ${brand} order by id ${order} limit 1)`
  return `select sampled.* from (
      select span.first + (span.last - span.first + 1) * place / ${groups} as start,
        span.first + (span.last - span.first + 1) * (place + 1) / ${groups} as next
      from (select ${end('asc')} as first, ${end('desc')} as last) as span, generate_series(0, ${groups - 1}) as place
      offset 0
    ) as part
    cross join lateral (
      select read.*, case when count(*) over () < ${groupSize} then 1
        else greatest(1, (part.next - part.start)::float8 / (max(read.id) over () - part.start + 1)) end as weight
      from (select id, ${columns} from ${table}
        where brand_id = ${brand} and id >= part.start and id < part.next order by id limit ${groupSize}) as read
    ) as sampled`
}
