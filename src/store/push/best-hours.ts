import type { ActivePerson, BestHourQuery, BrandQuarter } from '../../domain/campaigns/best-hour.ts'
import type { Platform } from '../../rules/platforms.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { type AudienceQuery, audienceSql } from './audience-sql.ts'
import { walkRows } from './audience-walk.ts'

/** A live subscription of an audience, with the activity of its person. */
export type ActiveMember = ActivePerson & {
  readonly id: bigint
  readonly platform: Platform
  /** The profile; of a device without one, the id of the device made negative. */
  readonly person: bigint
}

/**
 * The members of an audience, page by page, as of one moment, so that all devices of a person have the same activity. Run
 * it as the engine, in a transaction that writes nothing: readers of events wait for one that does.
 */
export async function* walkActivity(
  tx: Db,
  query: AudienceQuery,
  limit: number,
): AsyncGenerator<readonly ActiveMember[]> {
  const binds = new Binds()
  const walk = walkRows<MemberRow>(
    tx,
    {
      text: `select s.id, s.platform, coalesce(s.profile_id, -s.id) as person,
       case when s.profile_id is null then s.time_zone else ${personZoneSql('s.profile_id')} end as zone,
       array_to_string(a.active_quarters, ',') as quarters
     from subscriptions as s
     left join profile_activity as a on a.brand_id = s.brand_id and a.profile_id = s.profile_id
     where ${audienceSql(query, binds)}`,
      values: binds.values,
    },
    limit,
  )
  for await (const rows of walk) yield rows.map((row) => ({ ...row, quarters: quartersIn(row.quarters) }))
}

/** The quarter hours travel as one text, because `pg` takes five times as long to read an array. */
type MemberRow = Omit<ActiveMember, 'quarters'> & { readonly quarters: string | null }

function quartersIn(text: string | null): readonly number[] {
  return text === null || text === '' ? [] : text.split(',').map(Number)
}

/** The activity of one person. */
export async function loadActivePerson(
  db: Db,
  { brandId, profileId }: { readonly brandId: number; readonly profileId: bigint },
): Promise<ActivePerson> {
  const { rows } = await db.query<ActivePerson>(
    `select ${personZoneSql('s.profile_id')} as zone,
       coalesce((select active_quarters from profile_activity where brand_id = $1 and profile_id = $2), '{}') as quarters
     from (select $1::integer as brand_id, $2::bigint as profile_id) as s`,
    [brandId, profileId],
  )
  return rows[0] ?? { zone: null, quarters: [] }
}

/** The zone of the person of `s`: that of the device which registered last. */
function personZoneSql(profile: string): string {
  return `(select o.time_zone from subscriptions as o
    where o.brand_id = s.brand_id and o.profile_id = ${profile} and o.state = 'live' and o.time_zone is not null
    order by o.registered_at desc, o.id desc limit 1)`
}

/** The zone and the quiet hours of a brand. */
export async function loadBrandClock(db: Db, brandId: number): Promise<BrandClock> {
  const { rows } = await db.query<BrandClock>(
    'select time_zone as "brandZone", quiet_hours as "quietHours" from brands where id = $1',
    [brandId],
  )
  return rows[0] ?? { brandZone: 'UTC', quietHours: null }
}

type BrandClock = Pick<BestHourQuery, 'brandZone' | 'quietHours'>

/** The events of a brand by quarter hour, as far as they are counted. */
export async function loadBrandQuarters(db: Db, brandId: number): Promise<readonly BrandQuarter[]> {
  const { rows } = await db.query<BrandQuarter>(
    'select quarter, event_count::float8 as events from brand_quarters where brand_id = $1',
    [brandId],
  )
  return rows
}
