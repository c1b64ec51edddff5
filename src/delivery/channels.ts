import {
  type AnswerCounts,
  countAnswers,
  isBraking,
  isSuspect,
  type RecentAnswers,
  recall,
} from '../domain/push/brake.ts'
import type { Verdict } from '../domain/push/verdict.ts'
import { PAUSE_RULES } from '../rules/push.ts'
import { BoundedCache, TtlCache } from '../runtime/limits/cache.ts'
import { newId } from '../runtime/secrets/crypto.ts'
import type { Database } from '../store/db.ts'
import { forgetAnswers, poolAnswers } from '../store/push/brake.ts'
import {
  type ChannelRecord,
  type ChannelRef,
  loadChannel,
  pauseChannel,
  resumeChannel,
} from '../store/push/channels.ts'
import type { ChannelSender, CredentialSender, ReadySender } from './channel-sender.ts'
import { HostNotes } from './health/host-notes.ts'
import { Refusals } from './health/refusals.ts'

/** Opens the brand's credential of this version; 0 stands for the sandbox's. Null when there is neither. */
export type OpenChannel = (ref: ChannelRef, version: number) => Promise<CredentialSender | null>

export type ChannelsOptions = { readonly db: Database; readonly open: OpenChannel }

/**
 * The channels of all brands as one worker knows them. What it knows is looked up again after a second, so that a new
 * credential is used, and a paused one left alone, while a broadcast is under way.
 */
export class Channels {
  readonly refusals = new Refusals()
  readonly hostNotes: HostNotes
  /** What this process's answers are pooled under. */
  readonly #name = newId()
  readonly #options: ChannelsOptions
  readonly #known = new TtlCache<ChannelSender>({ ttlMs: FRESH_MS })
  readonly #recent = new BoundedCache<string, RecentAnswers>({ capacity: CHANNELS_MAX })

  constructor(options: ChannelsOptions) {
    this.#options = options
    this.hostNotes = new HostNotes(options.db, this.refusals)
  }

  async find(ref: ChannelRef): Promise<ChannelSender> {
    return this.#known.get(nameOf(ref), async () => this.#look(ref))
  }

  /** Remembers the verdicts on a credential's messages, and tells what they say about its channel. */
  async judge(ref: ChannelRef, sender: ReadySender, verdicts: readonly Verdict[]): Promise<ChannelHealth> {
    const { credential, isProbe, hasManyHosts } = sender
    const recent = recall(this.#recent.get(credential) ?? [], verdicts)
    this.#recent.set(credential, recent)
    const refused = verdicts.find((verdict) => verdict.kind === 'paused')
    const isBad = !hasManyHosts || this.refusals.isRefusedByAll(credential)
    if (refused !== undefined && isBad) return { kind: 'bad', reason: refused.reason }
    const accepted = verdicts.filter(({ kind }) => kind === 'accepted').length
    if (isProbe && accepted > verdicts.filter(isSuspect).length) return { kind: 'mended' }
    if (!verdicts.some(isSuspect)) return { kind: 'fine' }
    const isWrong = isBraking(await this.#poolAnswers(ref, sender, recent))
    return isWrong ? { kind: 'bad', reason: 'too_many_bad_addresses' } : { kind: 'fine' }
  }

  /** Only who was given a suspect answer asks the others, so that a sound broadcast pays nothing for the brake. */
  async #poolAnswers(
    ref: ChannelRef,
    { version }: ReadySender,
    recent: RecentAnswers,
  ): Promise<AnswerCounts> {
    const own = { ...countAnswers(recent), worker: this.#name, version, freshMs: POOLED_MS }
    return poolAnswers(this.#options.db, { ...ref, ...own })
  }

  async pause(ref: ChannelRef, { version }: ReadySender, reason: string): Promise<void> {
    await pauseChannel(this.#options.db, { ...ref, version, reason, pauseMs: PAUSE_RULES.pauseMs })
    this.#known.delete(nameOf(ref))
  }

  /** What it was answered before it was mended counts no more. */
  async resume(ref: ChannelRef, { version, credential }: ReadySender): Promise<void> {
    this.#recent.delete(credential)
    await forgetAnswers(this.#options.db, ref)
    await resumeChannel(this.#options.db, { ...ref, version })
    this.#known.delete(nameOf(ref))
  }

  /** The sender with the credential of this moment, whether its channel is paused or not. */
  async open(ref: ChannelRef): Promise<Exclude<ChannelSender, { readonly kind: 'paused' }>> {
    return this.#openAs(ref, await loadChannel(this.#options.db, ref))
  }

  async #look(ref: ChannelRef): Promise<ChannelSender> {
    const record = await loadChannel(this.#options.db, ref)
    if (record?.isBeforeRetry === true) return { kind: 'paused' }
    return this.#openAs(ref, record)
  }

  async #openAs(
    ref: ChannelRef,
    record: ChannelRecord | null,
  ): Promise<Exclude<ChannelSender, { readonly kind: 'paused' }>> {
    const version = record?.version ?? 0
    const sender = await this.#options.open(ref, version)
    if (sender === null) return { kind: 'no_credential' }
    const refusedHosts = new Set(record?.refusedHosts.map(({ host }) => host))
    const isProbe = record !== null && record.pausedReason !== null
    return { kind: 'ready', ...sender, version, isProbe, refusedHosts }
  }
}

export type ChannelHealth =
  | { readonly kind: 'fine' }
  /** Nothing can be sent with it until somebody looks at it. */
  | { readonly kind: 'bad'; readonly reason: string }
  /** It was paused, and works again. */
  | { readonly kind: 'mended' }

const FRESH_MS = 1_000
const POOLED_MS = 10 * 60_000
const CHANNELS_MAX = 10_000

function nameOf({ brandId, platform }: ChannelRef): string {
  return `${brandId} ${platform}`
}
