import type { Platform } from '../../rules/platforms.ts'
import type { Db } from '../db.ts'

/** A channel that hands nothing over, and whose it is. */
export type ChannelTrouble = {
  readonly brand: string
  readonly platform: Platform
  readonly state: 'paused' | 'unable'
  readonly reason: string
}

export type TroubleQuery = {
  /** Where nothing stands in for credentials, so that a brand with devices but without them reaches nobody. */
  readonly needed: readonly Platform[]
  readonly limit: number
}

/** Of all brands, for whoever keeps Beckon running. A platform on which a brand has no device is no trouble. */
export async function listChannelTroubles(
  db: Db,
  { needed, limit }: TroubleQuery,
): Promise<readonly ChannelTrouble[]> {
  const { rows } = await db.query<ChannelTrouble>(
    `select brands.external_id as brand, channels.platform, 'paused' as state, channels.paused_reason as reason
     from channels join brands on brands.id = channels.brand_id where channels.paused_reason is not null
     union all
     select brands.external_id, asked.platform, 'unable', 'no_credentials'
     from brands cross join unnest($1::text[]) as asked (platform)
     where exists (select from subscriptions as s
         where s.brand_id = brands.id and s.platform = asked.platform and s.state = 'live')
       and not exists (select from channels as c
         where c.brand_id = brands.id and c.platform = asked.platform and c.version > 0)
     order by brand, platform limit $2`,
    [needed, limit],
  )
  return rows
}
