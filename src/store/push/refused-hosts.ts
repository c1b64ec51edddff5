import { type HostReport, type RefusedHost, updateRefusedHosts } from '../../domain/push/refused-host.ts'
import { encodeJson } from '../../domain/values/json.ts'
import type { Database } from '../db.ts'
import type { ChannelRef } from './channels.ts'

export type ChannelHosts = ChannelRef & {
  /** The version of the credential in use; a newer credential begins with an empty list. */
  readonly version: number
  readonly report: HostReport
  readonly now: number
}

/** Saves which push hosts refuse a channel, for its owner to see. */
export async function saveHostReport(database: Database, hosts: ChannelHosts): Promise<void> {
  const { brandId, platform, version, report, now } = hosts
  await database.asEngine(async (tx) => {
    const { rows } = await tx.query<{ hosts: readonly RefusedHost[] }>(
      `select refused_hosts as hosts from channels
       where brand_id = $1 and platform = $2 and version = $3 for update`,
      [brandId, platform, version],
    )
    const [known] = rows
    if (known === undefined) return
    await tx.query('update channels set refused_hosts = $3 where brand_id = $1 and platform = $2', [
      brandId,
      platform,
      encodeJson(updateRefusedHosts(known.hosts, report, now)),
    ])
  })
}
