import { type ChannelState, channelAfter, channelEvent, isSuspect } from '../domain/push/health.ts'
import { BRAKE_REASON, PAUSE_RULES } from '../rules/push.ts'
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
import { Brake, type HeldVerdicts, type Judged } from './health/brake.ts'
import { CoolDowns } from './health/cool-downs.ts'
import { FailureReports } from './health/failure-reports.ts'
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
  readonly failures: FailureReports
  readonly #database: Database
  readonly #open: OpenChannel
  readonly #brake: Brake
  readonly #senders = new TtlCache<ChannelSender>({ ttlMs: FRESH_MS })

  constructor({ db, open }: { readonly db: Database; readonly open: OpenChannel }) {
    this.#database = db
    this.#open = open
    this.#brake = new Brake(db)
    this.hostHealth = new HostHealth(db, this.coolDowns)
    this.failures = new FailureReports(db)
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

  /** Decides how the verdicts on a channel's messages move it, and which of them the brake holds back. */
  async judge(
    ref: ChannelRef,
    sender: ReadySender,
    { verdicts, now }: Judged,
  ): Promise<ChannelMove & { readonly held: HeldVerdicts }> {
    const { credential, state, hasManyHosts } = sender
    const held = await this.#brake.hold(ref, sender, { verdicts, now })
    const given = verdicts.map(({ verdict }) => verdict)
    const isRefusedByAll = !hasManyHosts || this.coolDowns.isRefusedByAll(credential)
    const seen = channelEvent(given, { state, isRefusedByAll })
    const isBraking = seen === 'suspect' && [...held].some(({ verdict }) => isSuspect(verdict))
    const event = isBraking ? 'braking' : seen
    const refused = given.find((verdict) => verdict.kind === 'paused')
    const reason = isBraking ? BRAKE_REASON : (refused?.reason ?? '')
    return { to: channelAfter(state, event), reason, held }
  }

  /** Saves a move of `judge`. */
  async move(ref: ChannelRef, sender: ReadySender, { to, reason }: ChannelMove): Promise<void> {
    const { state, version } = sender
    if (to === state) return
    if (to === 'paused') {
      await pauseChannel(this.#database, { ...ref, version, reason, pauseMs: PAUSE_RULES.pauseMs })
    } else {
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
    const isFailing = record !== null && record.failingReason !== null
    return { kind: 'ready', ...sender, version, state, isFailing, refusedHosts }
  }
}

type UsableSender = Exclude<ChannelSender, { readonly kind: 'paused' }>

const FRESH_MS = 1_000

function nameOf({ brandId, platform }: ChannelRef): string {
  return `${brandId} ${platform}`
}
