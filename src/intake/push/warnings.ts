import { credentialStatusOf } from '../../domain/push/channel.ts'
import {
  type ChannelHealth,
  channelHealth,
  type Obstacle,
  obstacleOf,
} from '../../domain/push/channel-health.ts'
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
  readonly #healths = new TtlCache<ChannelHealth>({ ttlMs: HEALTH_FRESH_MS })
  readonly #holds: TtlCache<boolean>

  constructor(deps: PushWarningDeps) {
    this.#deps = deps
    this.#holds = new TtlCache({ ttlMs: HOLD_FRESH_MS, now: deps.clock.now })
  }

  /** A push waits or fails if its channel cannot send, unless that is mended before it is due (decisions §3). */
  async forChannel(ref: ChannelRef): Promise<readonly Warning[]> {
    const { platform } = ref
    const { state, reason, advice } = await this.#health(ref)
    if (state === 'ok') return []
    return [
      warning(CHANNEL_WARNINGS[state], 'platform', { platform, reason: reason ?? '', advice: advice ?? '' }),
    ]
  }

  /** A push that is accepted while the operator holds sending waits until sending is resumed. */
  async forHold(): Promise<readonly Warning[]> {
    return (await this.isHeld()) ? [warning('sending_held', 'notification')] : []
  }

  /** The reason why nothing is sent on a platform at present; null if there is none. */
  async obstacle(ref: ChannelRef): Promise<Obstacle | null> {
    return obstacleOf(await this.#health(ref), { isHeld: await this.isHeld() })
  }

  /** The same, whether or not the operator holds all sending. */
  async channelObstacle(ref: ChannelRef): Promise<Obstacle | null> {
    return obstacleOf(await this.#health(ref), { isHeld: false })
  }

  /** Whether the operator holds all sending. */
  async isHeld(): Promise<boolean> {
    return this.#holds.get('hold', async () => (await loadHold(this.#deps.database)) !== null)
  }

  async #health(ref: ChannelRef): Promise<ChannelHealth> {
    const { brandId, platform } = ref
    return this.#healths.get(`${brandId} ${platform}`, async () => {
      const { database, clock, hasSandbox } = this.#deps
      const troubles = await loadChannel(database, ref)
      const version = troubles?.version ?? 0
      const credentials = credentialStatusOf({ platform, version, hasSandbox: await hasSandbox() })
      return channelHealth({ platform, credentials, troubles, now: clock.now() })
    })
  }
}

const CHANNEL_WARNINGS = {
  unable: 'no_credentials',
  paused: 'channel_paused',
  failing: 'channel_failing',
  partial: 'channel_partial',
} as const

const HEALTH_FRESH_MS = 1_000
const HOLD_FRESH_MS = 3_000
