/** The ways in which a real provider has been seen to misbehave. */
export type ProviderFault =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }
  /** Takes the request and never answers. */
  | { readonly kind: 'hang' }
  /** Accepts the message, then cuts the connection before the answer: the sender cannot know. */
  | { readonly kind: 'accept_then_drop' }
  /** Cuts the connection without accepting. */
  | { readonly kind: 'drop' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'goaway'; readonly manner: 'refusing' | 'finishing' }
  /** A status at once, then one byte at a time for ever. */
  | { readonly kind: 'drip'; readonly status: number; readonly everyMs: number }
  | { readonly kind: 'huge'; readonly status: number; readonly bytes: number }
  /** Accepts the message, and ends the connection without its answer. Other calls on the connection finish. */
  | { readonly kind: 'accept_then_close' }
  /** Accepts the message, and answers one byte at a time for ever. */
  | { readonly kind: 'accept_then_drip'; readonly everyMs: number }
  /** Accepts the message, and answers later. */
  | { readonly kind: 'accept_then_wait'; readonly delayMs: number }

export const HTML_502: ProviderFault = {
  kind: 'answer',
  status: 502,
  headers: { 'content-type': 'text/html; charset=UTF-8' },
  body: '<!DOCTYPE html><html lang=en><title>Error 502 (Server Error)!!1</title></html>',
}

/** Any address: for faults that do not depend on the recipient. */
export const ANYONE = '*'

/** The faults to come, by address (a token, or a web subscription's endpoint). Each fault happens `times` times. */
export class FaultScript {
  readonly #scripts = new Map<string, Planned[]>()

  add(address: string, fault: ProviderFault, times = 1): void {
    const script = this.#scripts.get(address) ?? []
    if (this.#scripts.size >= ADDRESSES_MAX || script.length >= FAULTS_MAX) throw new Error('too many faults')
    this.#scripts.set(address, [...script, { fault, times }])
  }

  clear(): void {
    this.#scripts.clear()
  }

  /** The fault for this call, first one for its address, then one for `ANYONE`; undefined if there is none. */
  next(address: string): ProviderFault | undefined {
    if (this.#scripts.size === 0) return undefined
    return this.#take(address) ?? this.#take(ANYONE)
  }

  #take(address: string): ProviderFault | undefined {
    const [first, ...rest] = this.#scripts.get(address) ?? []
    if (first === undefined) return undefined
    const left = first.times > 1 ? [{ ...first, times: first.times - 1 }, ...rest] : rest
    if (left.length > 0) this.#scripts.set(address, left)
    else this.#scripts.delete(address)
    return first.fault
  }
}

type Planned = { readonly fault: ProviderFault; readonly times: number }

const ADDRESSES_MAX = 100_000
const FAULTS_MAX = 1_000
