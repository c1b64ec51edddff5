import { type CredentialStatus, credentialStatusOf } from '../../domain/push/channel.ts'
import { type Warning, warning } from '../../domain/warning.ts'
import type { Clock } from '../../runtime/clock.ts'
import { TtlCache } from '../../runtime/limits/cache.ts'
import type { Db } from '../../store/db.ts'
import { type ChannelRef, loadChannel } from '../../store/push/channels.ts'
import { loadHold } from '../../store/push/sending-hold.ts'

export type PushWarningDeps = {
  readonly database: Db
  readonly clock: Clock
  readonly hasSandbox: () => Promise<boolean>
}

/**
 * Warnings about the state of the brand and of the installation: the push is accepted all the same. Every push asks and
 * the answers seldom change, so each answer is remembered for a moment.
 */
export class PushWarnings {
  readonly #deps: PushWarningDeps
  readonly #statuses = new TtlCache<CredentialStatus>({ ttlMs: STATUS_FRESH_MS })
  readonly #holds: TtlCache<boolean>

  constructor(deps: PushWarningDeps) {
    this.#deps = deps
    this.#holds = new TtlCache({ ttlMs: HOLD_FRESH_MS, now: deps.clock.now })
  }

  /** A push for a platform without credentials fails, unless they are set before it is sent (decisions §3). */
  async forCredentials(ref: ChannelRef): Promise<readonly Warning[]> {
    const { brandId, platform } = ref
    const status = await this.#statuses.get(`${brandId} ${platform}`, async () => this.#loadStatus(ref))
    return status === 'none' ? [warning('no_credentials', 'platform', { platform })] : []
  }

  /** A push that is accepted while the operator holds sending waits until sending is resumed. */
  async forHold(): Promise<readonly Warning[]> {
    const isHeld = await this.#holds.get('hold', async () => (await loadHold(this.#deps.database)) !== null)
    return isHeld ? [warning('sending_held', 'notification')] : []
  }

  async #loadStatus(ref: ChannelRef): Promise<CredentialStatus> {
    const { database, hasSandbox } = this.#deps
    const record = await loadChannel(database, ref)
    const { platform } = ref
    return credentialStatusOf({ platform, version: record?.version ?? 0, hasSandbox: await hasSandbox() })
  }
}

const STATUS_FRESH_MS = 1_000
const HOLD_FRESH_MS = 3_000
