import { failureCoolDownMs, isRefusing, refusalCoolDownMs } from '../../domain/push/health.ts'
import type { Verdict } from '../../domain/push/verdict.ts'
import { COOL_DOWN_RULES } from '../../rules/push.ts'
import { BoundedCache } from '../../runtime/limits/cache.ts'
import { BackoffList, type BackoffListOptions } from '../../runtime/loop/backoff-list.ts'
import type { Recipient } from '../../store/push/recipient.ts'
import type { CredentialSender } from '../channel-sender.ts'

/**
 * The credentials that one worker leaves alone for a while, everywhere or at one push host. Credentials are never left
 * alone together: a push host may be slow or angry with one of them only. The states are those of `BackoffList`, and
 * these are the items that a verdict moves:
 *
 * | verdict                   | item                                    | move                                   |
 * |---------------------------|-----------------------------------------|----------------------------------------|
 * | accepted                  | credential, credential at a host        | success                                |
 * | retry, scope `host`       | credential at a host                    | failure, with the wait of the provider |
 * | retry, scope `credential` | credential                              | failure, with the wait of the provider |
 * | unknown                   | credential at a host                    | failure                                |
 * | paused                    | credential at a host, if there are many | failure, counted apart                 |
 *
 * Every other verdict moves nothing: it is about the message or about its one address.
 */
export class CoolDowns {
  /** Credentials, and credentials at one push host. */
  readonly #busy: BackoffList<string>
  /** Credentials at one push host that refuses them. */
  readonly #refusing: BackoffList<string>
  /** The push hosts that answered a credential, with an acceptance or a refusal. */
  readonly #hosts = new BoundedCache<string, Set<string>>({ capacity: CREDENTIALS_MAX })

  /** Tests bring their own time. */
  constructor(options: Pick<BackoffListOptions<string>, 'time'> = {}) {
    const common = { ...options, nameOf: (item: string) => item, itemsMax: ITEMS_MAX }
    this.#busy = new BackoffList({ ...common, delayMs: failureCoolDownMs })
    this.#refusing = new BackoffList({ ...common, delayMs: refusalCoolDownMs })
  }

  /** How long a recipient's message must wait; 0 if it may be sent now. */
  waitMs(sender: CredentialSender, recipient: Recipient): number {
    if (this.#busy.isEmpty && this.#refusing.isEmpty) return 0
    const { credential, hasManyHosts } = sender
    const pair = pairOf(credential, sender.hostOf(recipient))
    const refusingMs = hasManyHosts ? this.#refusing.waitMs(pair) : 0
    return Math.max(refusingMs, this.#busy.waitMs(credential), this.#busy.waitMs(pair))
  }

  /** Learns from the verdict on one recipient's message. */
  learn(sender: CredentialSender, recipient: Recipient, verdict: Verdict): void {
    if (verdict.kind === 'accepted') return this.#accept(sender, recipient)
    if (verdict.kind === 'paused' && sender.hasManyHosts) this.#refuse(sender, recipient)
    const pair = pairOf(sender.credential, sender.hostOf(recipient))
    if (verdict.kind === 'unknown') this.#fail(pair, 0)
    if (verdict.kind !== 'retry' || verdict.scope === 'address') return
    const item = verdict.scope === 'credential' ? sender.credential : pair
    return this.#fail(item, Math.min(verdict.waitMs, COOL_DOWN_RULES.waitMsMax))
  }

  /** A message that left before the cool-down began says nothing new, unless its provider asks for a longer wait. */
  #fail(item: string, askedMs: number): void {
    const waitMs = this.#busy.waitMs(item)
    if (waitMs === 0 || askedMs > waitMs) this.#busy.fail(item, askedMs)
  }

  /** Whether a push host refuses every message of a credential. */
  isRefused(credential: string, host: string): boolean {
    return isRefusing(this.#refusing.failuresOf(pairOf(credential, host)))
  }

  /** Whether every push host that answered the credential refuses it: then the credential is at fault. */
  isRefusedByAll(credential: string): boolean {
    const hosts = [...(this.#hosts.get(credential) ?? [])]
    return hosts.length > 0 && hosts.every((host) => this.isRefused(credential, host))
  }

  /** Runs for every accepted message, so that it does next to nothing while all is well. */
  #accept(sender: CredentialSender, recipient: Recipient): void {
    const { credential, hasManyHosts } = sender
    if (!hasManyHosts && this.#busy.isEmpty) return
    const host = sender.hostOf(recipient)
    if (!this.#busy.isEmpty) {
      this.#busy.succeed(pairOf(credential, host))
      this.#busy.succeed(credential)
    }
    if (!hasManyHosts) return
    this.#rememberAccepting(credential, host)
    if (!this.#refusing.isEmpty) this.#refusing.succeed(pairOf(credential, host))
  }

  #refuse(sender: CredentialSender, recipient: Recipient): void {
    const { credential } = sender
    const host = sender.hostOf(recipient)
    const hosts = this.#hostsOf(credential)
    if (hosts.size < HOSTS_MAX) hosts.add(host)
    this.#refusing.fail(pairOf(credential, host))
  }

  /**
   * A brand's browsers may name any number of push hosts. A full list drops a host for one that accepts, never for one
   * that refuses, so that refusing hosts alone cannot make it look as if all of them refused.
   */
  #rememberAccepting(credential: string, host: string): void {
    const hosts = this.#hostsOf(credential)
    if (hosts.has(host)) return
    for (const oldest of hosts) {
      if (hosts.size < HOSTS_MAX) break
      hosts.delete(oldest)
    }
    hosts.add(host)
  }

  #hostsOf(credential: string): Set<string> {
    const known = this.#hosts.get(credential)
    if (known !== undefined) return known
    const fresh = new Set<string>()
    this.#hosts.set(credential, fresh)
    return fresh
  }
}

const ITEMS_MAX = 10_000
const HOSTS_MAX = 1_000
const CREDENTIALS_MAX = 10_000

function pairOf(credential: string, host: string): string {
  return `${credential} ${host}`
}
