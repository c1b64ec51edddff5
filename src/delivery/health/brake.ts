import { countAnswers, isBraking, type RecentAnswers, recall } from '../../domain/push/health.ts'
import type { Verdict } from '../../domain/push/verdict.ts'
import { BoundedCache } from '../../runtime/limits/cache.ts'
import { newId } from '../../runtime/secrets/crypto.ts'
import type { Database } from '../../store/db.ts'
import { forgetAnswers, poolAnswers } from '../../store/push/brake.ts'
import type { ChannelRef } from '../../store/push/channels.ts'
import type { ReadySender } from '../channel-sender.ts'

/**
 * Notices a wrong setting by its answers, which blame one device after another. Each worker remembers the last answers
 * to each credential; only a worker with a suspect answer adds its count to those of the others, so that a sound
 * broadcast pays nothing.
 */
export class Brake {
  readonly #database: Database
  /** The name under which this process adds its count. */
  readonly #worker = newId()
  readonly #recent = new BoundedCache<string, RecentAnswers>({ capacity: CREDENTIALS_MAX })

  constructor(database: Database) {
    this.#database = database
  }

  remember({ credential }: ReadySender, verdicts: readonly Verdict[]): void {
    this.#recent.set(credential, recall(this.#recent.get(credential) ?? [], verdicts))
  }

  /** Whether the answers of all workers together show a wrong setting. */
  async isOn(ref: ChannelRef, { credential, version }: ReadySender): Promise<boolean> {
    const counts = countAnswers(this.#recent.get(credential) ?? [])
    const own = { ...ref, ...counts, worker: this.#worker, version, freshMs: POOLED_MS }
    return isBraking(await poolAnswers(this.#database, own))
  }

  /** The channel works again, so that its earlier answers count no more. */
  async forget(ref: ChannelRef, { credential }: ReadySender): Promise<void> {
    this.#recent.delete(credential)
    await forgetAnswers(this.#database, ref)
  }
}

const POOLED_MS = 10 * 60_000
const CREDENTIALS_MAX = 10_000
