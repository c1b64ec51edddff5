import { ADDRESS_BLOCKED, type Verdict } from '../../domain/push/verdict.ts'
import { REFUSED_HOSTS } from '../../rules/channels.ts'
import { TtlCache } from '../../runtime/limits/cache.ts'
import type { Database } from '../../store/db.ts'
import type { ChannelRef } from '../../store/push/channels.ts'
import { saveHostNews } from '../../store/push/refused-hosts.ts'
import type { ReadySender } from '../channel-sender.ts'
import type { RecipientVerdict } from '../outcomes.ts'
import type { Refusals } from './refusals.ts'

export type Heard = {
  readonly ref: ChannelRef
  readonly sender: ReadySender
  readonly verdicts: readonly RecipientVerdict[]
  readonly now: number
}

/**
 * Tells the owner of a channel which of its push services turn it away, and when they take messages again. A sound
 * broadcast pays nothing for it, and of a host the same is written down once in a while only.
 */
export class HostNotes {
  readonly #database: Database
  readonly #refusals: Refusals
  readonly #told = new TtlCache<void>({ ttlMs: REFUSED_HOSTS.noteEveryMs })

  constructor(database: Database, refusals: Refusals) {
    this.#database = database
    this.#refusals = refusals
  }

  async note({ ref, sender, verdicts, now }: Heard): Promise<void> {
    if (!sender.hasManyHosts) return
    for (const [origin, reason] of this.#newsIn(sender, verdicts)) {
      const { host } = new URL(origin)
      const news =
        reason === null ? { refused: [], accepted: [host] } : { refused: [{ host, reason }], accepted: [] }
      await this.#told.get(`${sender.credential} ${host} ${reason}`, async () =>
        saveHostNews(this.#database, { ...ref, version: sender.version, news, now }),
      )
    }
  }

  /** By origin: why it turns messages away, or null for one that did and now takes them. */
  #newsIn(sender: ReadySender, answers: readonly RecipientVerdict[]): ReadonlyMap<string, string | null> {
    const isAnyRefused = sender.refusedHosts.size > 0
    const news = new Map<string, string | null>()
    for (const { recipient, verdict } of answers) {
      if (verdict.kind === 'accepted' && isAnyRefused) {
        const origin = sender.hostOf(recipient)
        if (sender.refusedHosts.has(new URL(origin).host)) news.set(origin, null)
      }
      if (verdict.kind !== 'paused' && verdict.kind !== 'refused') continue
      const origin = sender.hostOf(recipient)
      if (this.#isOfHost(verdict, sender.credential, origin)) news.set(origin, verdict.reason)
    }
    return news
  }

  /** Whether all of the host's browsers would be answered so: it turns us away, or its address may not be called. */
  #isOfHost({ kind, reason }: Turned, credential: string, origin: string): boolean {
    if (kind === 'paused') return this.#refusals.isRefused(credential, origin)
    return reason === ADDRESS_BLOCKED
  }
}

type Turned = Extract<Verdict, { readonly kind: 'paused' | 'refused' }>
