import { REFUSED_HOSTS } from '../../rules/channels.ts'
import type { Platform } from '../../rules/platforms.ts'
import type { Db } from '../db.ts'

/** A channel that sends nothing, or nothing to one push host, and its brand. */
export type ChannelTrouble = {
  readonly brand: string
  readonly platform: Platform
  readonly state: 'paused' | 'failing' | 'unable' | 'partial'
  readonly reason: string
  /** The push host that refuses; null when all do. */
  readonly host: string | null
}

export type TroubleQuery = {
  /**
   * Platforms on which no sandbox replaces missing credentials: a brand with devices and without a credential reaches
   * nobody there.
   */
  readonly needed: readonly Platform[]
  readonly limit: number
}

/**
 * The channels in trouble, of all live brands, for the operator. A platform on which a brand has no device is left
 * out.
 */
export async function listChannelTroubles(
  db: Db,
  { needed, limit }: TroubleQuery,
): Promise<readonly ChannelTrouble[]> {
  const { rows } = await db.query<ChannelTrouble>(
    `select brands.external_id as brand, channels.platform, 'paused' as state, channels.paused_reason as reason,
       null as host
     from channels join brands on brands.id = channels.brand_id and brands.deleted_at is null
     where channels.paused_reason is not null
     union all
     select brands.external_id, channels.platform, 'failing', channels.failing_reason, null
     from channels join brands on brands.id = channels.brand_id and brands.deleted_at is null
     where channels.paused_reason is null
       and channels.failing_at > clock_timestamp() - $3::float8 * interval '1 millisecond'
     union all
     select brands.external_id, asked.platform, 'unable', 'no_credentials', null
     from brands cross join unnest($1::text[]) as asked (platform)
     where brands.deleted_at is null
       and exists (select from subscriptions as s
         where s.brand_id = brands.id and s.platform = asked.platform and s.state = 'live' and not s.is_virtual)
       and not exists (select from channels as c
         where c.brand_id = brands.id and c.platform = asked.platform and c.version > 0)
     union all
     select brands.external_id, channels.platform, 'partial', refused.reason, refused.host
     from channels join brands on brands.id = channels.brand_id and brands.deleted_at is null
     cross join jsonb_to_recordset(channels.refused_hosts) as refused (host text, reason text, at bigint)
     where refused.at > extract(epoch from clock_timestamp()) * 1000 - $3::float8
     order by brand, platform, host limit $2`,
    [needed, limit, REFUSED_HOSTS.keepMs],
  )
  return rows
}
