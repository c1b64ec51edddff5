import { type ChannelState, channelAfter, channelEvent } from '../domain/push/health.ts'
import type { Verdict } from '../domain/push/verdict.ts'
import { PAUSE_RULES } from '../rules/push.ts'
import { TtlCache } from '../runtime/limits/cache.ts'
import type { Database } from '../store/db.ts'
import {
  type ChannelRecord,
  type ChannelRef,
  loadChannel,
  pauseChannel,
  resumeChannel,
} from '../store/push/channels.ts'
import type { ChannelSender, CredentialSender, ReadySender } from './channel-sender.ts'
import { Brake } from './health/brake.ts'
import { CoolDowns } from './health/cool-downs.ts'
import { HostHealth } from './health/host-health.ts'

/** Opens the brand's credential of this version; 0 stands for the sandbox's. Null when there is neither. */
export type OpenChannel = (ref: ChannelRef, version: number) => Promise<CredentialSender | null>

/** The state that a channel moves to, and why. */
type ChannelMove = { readonly to: ChannelState; readonly reason: string }

/**
 * The channels of all brands as one worker knows them. A channel is looked up again after a second, so that a new
 * credential is used and a pause is noticed in the middle of a broadcast.
 */
export class Channels {
  readonly coolDowns = new CoolDowns()
  readonly hostHealth: HostHealth
  readonly #database: Database
  readonly #open: OpenChannel
  readonly #brake: Brake
  readonly #senders = new TtlCache<ChannelSender>({ ttlMs: FRESH_MS })

  constructor({ db, open }: { readonly db: Database; readonly open: OpenChannel }) {
    this.#database = db
    this.#open = open
    this.#brake = new Brake(db)
    this.hostHealth = new HostHealth(db, this.coolDowns)
  }

  async find(ref: ChannelRef): Promise<ChannelSender> {
    return this.#senders.get(nameOf(ref), async () => {
      const record = await loadChannel(this.#database, ref)
      return record?.isBeforeRetry === true ? { kind: 'paused' } : this.#openAs(ref, record)
    })
  }

  /** The sender with the credential of this moment, whether its channel is paused or not. */
  async open(ref: ChannelRef): Promise<UsableSender> {
    return this.#openAs(ref, await loadChannel(this.#database, ref))
  }

  /** Remembers the verdicts on a channel's messages, and decides how they move the channel. */
  async judge(ref: ChannelRef, sender: ReadySender, verdicts: readonly Verdict[]): Promise<ChannelMove> {
    const { credential, state, hasManyHosts } = sender
    this.#brake.remember(sender, verdicts)
    const isRefusedByAll = !hasManyHosts || this.coolDowns.isRefusedByAll(credential)
    const seen = channelEvent(verdicts, { state, isRefusedByAll })
    const event = seen === 'suspect' && (await this.#brake.isOn(ref, sender)) ? 'braking' : seen
    const refused = verdicts.find((verdict) => verdict.kind === 'paused')
    const reason = event === 'braking' ? 'too_many_bad_addresses' : (refused?.reason ?? '')
    return { to: channelAfter(state, event), reason }
  }

  /** Saves a move of `judge`. */
  async move(ref: ChannelRef, sender: ReadySender, { to, reason }: ChannelMove): Promise<void> {
    const { state, version } = sender
    if (to === state) return
    if (to === 'paused') {
      await pauseChannel(this.#database, { ...ref, version, reason, pauseMs: PAUSE_RULES.pauseMs })
    } else {
      await this.#brake.forget(ref, sender)
      await resumeChannel(this.#database, { ...ref, version })
    }
    this.#senders.delete(nameOf(ref))
  }

  async #openAs(ref: ChannelRef, record: ChannelRecord | null): Promise<UsableSender> {
    const version = record?.version ?? 0
    const sender = await this.#open(ref, version)
    if (sender === null) return { kind: 'no_credential' }
    const state = record === null || record.pausedReason === null ? 'working' : 'probing'
    const refusedHosts = new Set(record?.refusedHosts.map(({ host }) => host))
    return { kind: 'ready', ...sender, version, state, refusedHosts }
  }
}

type UsableSender = Exclude<ChannelSender, { readonly kind: 'paused' }>

const FRESH_MS = 1_000

function nameOf({ brandId, platform }: ChannelRef): string {
  return `${brandId} ${platform}`
}
