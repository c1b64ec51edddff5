import {
  SANDBOX_FAULT_LIMITS,
  type SandboxFaultDraft,
  type SandboxFaultRule,
  type SandboxHost,
} from '../rules/sandbox.ts'
import type { Clock } from '../runtime/clock.ts'

/** A rule, with the brand whose messages it is for; null: every message. */
export type FaultRule = SandboxFaultRule & { readonly brandId: number | null }

/** A rule of one brand, or of all, as a caller asks for it. */
export type FaultDraft = SandboxFaultDraft & { readonly brandId: number | null }

/** One message on its way into the sandbox. */
type DialledCall = {
  readonly host: SandboxHost
  readonly address: string
  /** Reads the message, so that it runs only for the rule of a brand. */
  readonly brandOf: () => number | null
}

type DialOptions = { readonly clock: Clock; readonly random: () => number }

/** The rules by which the sandbox misbehaves. The first rule that a message meets decides; each throws its own dice. */
export class FaultDial {
  readonly #options: DialOptions
  #rules: readonly FaultRule[] = []
  #lastId = 0

  constructor(options: DialOptions) {
    this.#options = options
  }

  /** Null when there are too many rules, of the brand or of all brands. */
  add({ seconds, ...draft }: FaultDraft): FaultRule | null {
    this.#forgetEnded()
    const { brandRulesMax, rulesMax } = SANDBOX_FAULT_LIMITS
    if (this.#rules.length >= rulesMax || this.list(draft.brandId).length >= brandRulesMax) return null
    this.#lastId += 1
    const rule = { ...draft, id: this.#lastId, endsAt: this.#options.clock.now() + seconds * 1000, count: 0 }
    this.#rules = [...this.#rules, rule]
    return rule
  }

  /** The rules of a brand; null for the rules that are for every message. */
  list(brandId: number | null): readonly FaultRule[] {
    this.#forgetEnded()
    return this.#rules.filter((rule) => rule.brandId === brandId)
  }

  /** Removes the rules of a brand, and tells how many there were. */
  clear(brandId: number | null): number {
    const removed = this.list(brandId).length
    this.#rules = this.#rules.filter((rule) => rule.brandId !== brandId)
    return removed
  }

  /** The rule that happens to this message, if any. */
  pick(call: DialledCall): FaultRule | undefined {
    if (this.#rules.length === 0) return undefined
    this.#forgetEnded()
    const { random } = this.#options
    const picked = this.#rules.find((rule) => isFor(rule, call) && random() < rule.share)
    if (picked === undefined) return undefined
    this.#rules = this.#rules.map((rule) => (rule === picked ? { ...rule, count: rule.count + 1 } : rule))
    return picked
  }

  #forgetEnded(): void {
    const now = this.#options.clock.now()
    if (this.#rules.some(({ endsAt }) => endsAt <= now)) {
      this.#rules = this.#rules.filter(({ endsAt }) => endsAt > now)
    }
  }
}

function isFor({ host, token, brandId, times, count }: FaultRule, call: DialledCall): boolean {
  if (times !== null && count >= times) return false
  if (host !== null && host !== call.host) return false
  if (token !== null && token !== call.address) return false
  return brandId === null || brandId === call.brandOf()
}
