import { foldHostNews, type HostNews, type RefusedHost } from '../../domain/push/refused-host.ts'
import { encodeJson } from '../../domain/values/json.ts'
import type { Database } from '../db.ts'
import type { ChannelRef } from './channels.ts'

export type HostNote = ChannelRef & {
  /** Of the credential that was judged; a newer one begins with an empty list. */
  readonly version: number
  readonly news: HostNews
  readonly now: number
}

/** Writes down which push services turn a channel away, for its owner to see. */
export async function saveHostNews(database: Database, note: HostNote): Promise<void> {
  const { brandId, platform, version, news, now } = note
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
      encodeJson(foldHostNews(known.hosts, news, now)),
    ])
  })
}
