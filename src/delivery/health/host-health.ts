import { ADDRESS_BLOCKED, type Verdict } from '../../domain/push/verdict.ts'
import { REFUSED_HOSTS } from '../../rules/channels.ts'
import { TtlCache } from '../../runtime/limits/cache.ts'
import type { Database } from '../../store/db.ts'
import type { ChannelRef } from '../../store/push/channels.ts'
import { saveHostReport } from '../../store/push/refused-hosts.ts'
import type { ReadySender } from '../channel-sender.ts'
import type { RecipientVerdict } from '../outcomes.ts'
import type { CoolDowns } from './cool-downs.ts'

/**
 * Saves which push hosts refuse a channel, and which of them accept again, for the channel's owner. The same report on
 * a host is saved once in a while only, and a broadcast without refusals costs nothing.
 */
export class HostHealth {
  readonly #database: Database
  readonly #coolDowns: CoolDowns
  readonly #saved = new TtlCache<void>({ ttlMs: REFUSED_HOSTS.noteEveryMs })

  constructor(database: Database, coolDowns: CoolDowns) {
    this.#database = database
    this.#coolDowns = coolDowns
  }

  async report({ ref, sender, verdicts, now }: Reported): Promise<void> {
    if (!sender.hasManyHosts) return
    for (const [origin, reason] of this.#reasons(sender, verdicts)) {
      const { host } = new URL(origin)
      const report =
        reason === null ? { refused: [], accepted: [host] } : { refused: [{ host, reason }], accepted: [] }
      await this.#saved.get(`${sender.credential} ${host} ${reason}`, async () =>
        saveHostReport(this.#database, { ...ref, version: sender.version, report, now }),
      )
    }
  }

  /** By origin: the reason of a host that refuses every message, or null for a host that accepts again. */
  #reasons(sender: ReadySender, verdicts: readonly RecipientVerdict[]): ReadonlyMap<string, string | null> {
    const wasAnyRefused = sender.refusedHosts.size > 0
    const reasons = new Map<string, string | null>()
    for (const { recipient, verdict } of verdicts) {
      if (verdict.kind === 'accepted' && wasAnyRefused) {
        const origin = sender.hostOf(recipient)
        if (sender.refusedHosts.has(new URL(origin).host)) reasons.set(origin, null)
      }
      if (verdict.kind !== 'paused' && verdict.kind !== 'refused') continue
      const origin = sender.hostOf(recipient)
      if (this.#isOfHost(verdict, sender.credential, origin)) reasons.set(origin, verdict.reason)
    }
    return reasons
  }

  /** Whether all browsers of the host get this verdict: the host refuses us, or its address may not be called. */
  #isOfHost({ kind, reason }: Refusing, credential: string, origin: string): boolean {
    if (kind === 'paused') return this.#coolDowns.isRefused(credential, origin)
    return reason === ADDRESS_BLOCKED
  }
}

type Reported = {
  readonly ref: ChannelRef
  readonly sender: ReadySender
  readonly verdicts: readonly RecipientVerdict[]
  readonly now: number
}

type Refusing = Extract<Verdict, { readonly kind: 'paused' | 'refused' }>
