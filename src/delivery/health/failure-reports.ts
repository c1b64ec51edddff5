import type { Verdict } from '../../domain/push/verdict.ts'
import { FAILURE_REPORT_MS } from '../../rules/channels.ts'
import { BoundedCache } from '../../runtime/limits/cache.ts'
import type { Database } from '../../store/db.ts'
import { clearChannelFailure, saveChannelFailure } from '../../store/push/channel-failures.ts'
import type { ChannelRef } from '../../store/push/channels.ts'
import { saveHostReport } from '../../store/push/refused-hosts.ts'
import type { ReadySender } from '../channel-sender.ts'
import type { RecipientVerdict } from '../outcomes.ts'

/**
 * Saves that a channel, or one push host of it, accepts no message at present, for the channel's owner: a certificate is
 * not trusted, a token endpoint is down, a provider is busy. Nothing is decided by it; messages are tried again as ever.
 *
 * | state   | only failures in a settlement                        | an accepted message |
 * |---------|------------------------------------------------------|---------------------|
 * | working | failing, and saved                                   | working             |
 * | failing | failing, saved again if the last save is some time ago | working, and saved  |
 */
export class FailureReports {
  readonly #database: Database
  /** When a failure was last saved, by credential and host. Only failing ones are listed. */
  readonly #savedAt = new BoundedCache<string, number>({ capacity: FAILING_MAX })

  constructor(database: Database) {
    this.#database = database
  }

  async report({ ref, sender, verdicts, now }: ReportedFailures): Promise<void> {
    for (const [host, given] of this.#byHost(sender, verdicts)) {
      const name = `${sender.credential} ${host}`
      const part = { ref: { ...ref, version: sender.version }, host, now }
      const savedAt = this.#savedAt.get(name)
      if (given.some(({ verdict }) => verdict.kind === 'accepted')) {
        if (savedAt === undefined && !(host === WHOLE_CHANNEL && sender.isFailing)) continue
        this.#savedAt.delete(name)
        await this.#clear(part)
        continue
      }
      const reason = given.map(({ verdict }) => failureOf(verdict)).findLast((one) => one !== null)
      if (reason === undefined || reason === null) continue
      if (savedAt !== undefined && Math.abs(now - savedAt) < FAILURE_REPORT_MS) continue
      // Before the save: many chunks report the same failure at once, and their saves would wait for one another.
      this.#savedAt.set(name, now)
      await this.#save(part, reason).catch((cause: unknown) => {
        this.#savedAt.delete(name)
        throw cause
      })
    }
  }

  /** The verdicts of each push host if a channel has many; else all of them together. */
  #byHost(
    sender: ReadySender,
    verdicts: readonly RecipientVerdict[],
  ): ReadonlyMap<string, readonly RecipientVerdict[]> {
    if (!sender.hasManyHosts) return new Map([[WHOLE_CHANNEL, verdicts]])
    const isQuiet = this.#savedAt.size === 0 && verdicts.every(({ verdict }) => failureOf(verdict) === null)
    return isQuiet ? new Map() : Map.groupBy(verdicts, ({ recipient }) => sender.hostOf(recipient))
  }

  async #save({ ref, host, now }: FailingPart, reason: string): Promise<void> {
    if (host === WHOLE_CHANNEL) return saveChannelFailure(this.#database, { ...ref, reason })
    const report = { refused: [{ host: new URL(host).host, reason }], accepted: [] }
    return saveHostReport(this.#database, { ...ref, report, now })
  }

  async #clear({ ref, host, now }: FailingPart): Promise<void> {
    if (host === WHOLE_CHANNEL) return clearChannelFailure(this.#database, ref)
    const report = { refused: [], accepted: [new URL(host).host] }
    return saveHostReport(this.#database, { ...ref, report, now })
  }
}

type ReportedFailures = {
  readonly ref: ChannelRef
  readonly sender: ReadySender
  readonly verdicts: readonly RecipientVerdict[]
  readonly now: number
}

type FailingPart = {
  readonly ref: ChannelRef & { readonly version: number }
  readonly host: string
  readonly now: number
}

const WHOLE_CHANNEL = ''
const FAILING_MAX = 10_000

/** The reason of a verdict that is not about the message or its one address; null for any other verdict. */
function failureOf(verdict: Verdict): string | null {
  if (verdict.kind === 'unknown') return verdict.reason
  return verdict.kind === 'retry' && verdict.scope !== 'address' ? verdict.reason : null
}
