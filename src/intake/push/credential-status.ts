import { type Means, meansOf } from '../../domain/push/channel.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import { FreshLooks } from '../../runtime/limits/fresh-looks.ts'
import type { Db } from '../../store/db.ts'
import { type ChannelRef, loadChannel } from '../../store/push/channels.ts'

export type MeansDeps = { readonly database: Db; readonly hasSandbox: () => Promise<boolean> }

/** What brands send with, as of a moment ago: every push asks, and few of them change it. */
export class ChannelMeans {
  readonly #deps: MeansDeps
  readonly #known = new FreshLooks<Means>(FRESH_MS)

  constructor(deps: MeansDeps) {
    this.#deps = deps
  }

  /** Whether a push that is accepted now could only fail. */
  async warningsFor(ref: ChannelRef): Promise<readonly Warning[]> {
    const { brandId, platform } = ref
    const means = await this.#known.find(`${brandId} ${platform}`, async () => this.#look(ref))
    return means === 'none' ? [warning('no_credentials', 'platform', { platform })] : []
  }

  async #look(ref: ChannelRef): Promise<Means> {
    const { database, hasSandbox } = this.#deps
    const record = await loadChannel(database, ref)
    const { platform } = ref
    return meansOf({ platform, version: record?.version ?? 0, hasSandbox: await hasSandbox() })
  }
}

const FRESH_MS = 1_000
