import type { Db } from '../db.ts'

/** The name of an attribute of an event; of the event itself if `attribute` is ''. Profiles have the event name ''. */
export type AttributeName = { readonly eventName: string; readonly attribute: string }

/** Returns the given names that the brand already has. */
export async function findKnownNames(
  db: Db,
  brandId: number,
  names: readonly AttributeName[],
): Promise<readonly AttributeName[]> {
  const { rows } = await db.query<AttributeName>(
    `select event_name as "eventName", attribute
     from unnest($2::text[], $3::text[]) as given (event_name, attribute)
     where case when attribute = '' then
         exists (select from event_names as n where n.brand_id = $1 and n.event_name = given.event_name)
         or exists (select from attribute_locks as l where l.brand_id = $1 and l.event_name = given.event_name)
       else exists (select from attribute_locks as l
         where l.brand_id = $1 and l.event_name = given.event_name and l.attribute = given.attribute) end`,
    [brandId, names.map(({ eventName }) => eventName), names.map(({ attribute }) => attribute)],
  )
  return rows
}

type NameCounts = { readonly eventNames: number; readonly attributes: number }

/** The number of the brand's event names, and of the attributes that only browsers sent; neither is counted beyond its maximum. */
export async function countNames(db: Db, brandId: number, most: NameCounts): Promise<NameCounts> {
  const { rows } = await db.query<NameCounts>(
    `select (select count(*) from (select from event_names where brand_id = $1 limit $2) as n)::integer as "eventNames",
       (select count(*) from (select from attribute_locks where brand_id = $1 and is_provisional limit $3) as l)::integer
         as attributes`,
    [brandId, most.eventNames, most.attributes],
  )
  return rows[0] ?? most
}
