import { setTimeout as wait } from 'node:timers/promises'

/** One call whose number is in its text, so that what arrives can be told apart. */
export type AcknowledgedPush = {
  readonly number: number
  readonly id: string
  /**
   * Before this instant nobody may have it; null for a push that is sent at once. Its `send_at` comes from the clock of an
   * API process, which is ahead of the database by the delay of an answer, and by more right after a start under load.
   */
  readonly sendAt: number | null
  /** The devices that must get it. */
  readonly wanted: readonly string[]
  /** Whether its caller tried to stop it, and was told that it is. */
  readonly cancel: 'none' | 'tried' | 'acknowledged'
}

export type PushCallersOptions = {
  readonly api: string
  readonly headers: Readonly<Record<string, string>>
  /** Their devices' tokens; `userOf` tells whose each is. */
  readonly ios: readonly string[]
  readonly android: readonly string[]
  /** The pace of every second broadcast: it must take longer than a second. */
  readonly perSecond: number
}

/**
 * Callers of a service that dies now and then: one sends to people, now and a second ahead, and to everybody, one
 * cancels some of that, and one looks at the counts of all of it, again and again. They remember what was acknowledged.
 */
export class PushCallers {
  readonly acknowledged: AcknowledgedPush[] = []
  /** Whatever a reader saw that must never be seen. */
  readonly wrongSums: unknown[] = []
  #looks = 0
  readonly #options: PushCallersOptions
  readonly #settled = new Map<string, number>()
  readonly #stop = new AbortController()
  readonly #calling: Promise<unknown>

  constructor(options: PushCallersOptions) {
    this.#options = options
    this.#calling = Promise.all([this.#send(), this.#look()])
  }

  get looks(): number {
    return this.#looks
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#calling
  }

  async #send(): Promise<void> {
    for (let number = 0; !this.#stop.signal.aborted; number += 1) {
      const { path, wanted, ...call } = this.#callOf(number)
      const body = { title: 'Hello', message: textOf(number), ...call.body }
      const reply = await this.#ask(path, { method: 'POST', body: JSON.stringify(body) })
      const accepted = fieldsOf(reply?.['notification'])
      if (accepted !== null) {
        const id = String(accepted['id'])
        const sendAt = 'time' in call.body ? Date.parse(String(accepted['send_at'])) : null
        const cancel = call.isCancelled ? await this.#cancel(id) : 'none'
        this.acknowledged.push({ number, id, sendAt, wanted, cancel })
      }
      await wait(CALL_EVERY_MS)
    }
  }

  #callOf(number: number) {
    const { ios, android, perSecond } = this.#options
    if (number % BROADCAST_EVERY === 0) {
      const body = number % (BROADCAST_EVERY * 2) === 0 ? {} : { per_second: perSecond }
      const isCancelled = number % (BROADCAST_EVERY * 5) === 0
      return { path: 'ios/broadcast/all', body, wanted: ios, isCancelled }
    }
    // Both share the work, since each endpoint may be called so many times a minute.
    const [platform, devices] = number % 2 === 0 ? (['ios', ios] as const) : (['android', android] as const)
    const device = devices[number % devices.length] ?? ''
    const time = number % 3 === 0 ? { time: 1 } : {}
    const wanted = [device]
    return {
      path: `${platform}/send`,
      body: { user_id: userOf(device), ...time },
      wanted,
      isCancelled: false,
    }
  }

  async #cancel(id: string): Promise<AcknowledgedPush['cancel']> {
    const reply = await this.#ask(`notifications/${id}/cancel`, { method: 'POST', body: '{}' })
    return reply === null ? 'tried' : 'acknowledged'
  }

  async #look(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const reply = await this.#ask('notifications?limit=100', { method: 'GET' })
      const listed = reply?.['notifications']
      if (Array.isArray(listed)) {
        this.#looks += 1
        for (const one of listed) this.#check(fieldsOf(one) ?? {})
      }
      await wait(LOOK_EVERY_MS)
    }
  }

  /** The sum is right at every moment, and what was once counted as over is never taken back. */
  #check(shown: Fields): void {
    const count = (name: string): number => Number(shown[name] ?? 0)
    const settled = count('accepted') + count('failed') + count('expired') + count('cancelled')
    const before = this.#settled.get(String(shown['id'])) ?? 0
    this.#settled.set(String(shown['id']), settled)
    if (settled + count('pending') !== count('audience') || settled < before) {
      this.wrongSums.push({ before, ...shown })
    }
  }

  /** The reply's fields; null when nobody answered, or not with a success. */
  async #ask(
    path: string,
    request: { readonly method: string; readonly body?: string },
  ): Promise<Fields | null> {
    const headers = { ...this.#options.headers, 'content-type': 'application/json' }
    try {
      const reply = await fetch(`${this.#options.api}/${path}`, {
        ...request,
        headers,
        signal: AbortSignal.timeout(60_000),
      })
      const text = await reply.text()
      return reply.status === 200 ? fieldsOf(JSON.parse(text)) : null
    } catch {
      return null
    }
  }
}

const CALL_EVERY_MS = 50
const LOOK_EVERY_MS = 100
const BROADCAST_EVERY = 8

/** The person with this device: a token may be longer than a name. */
export function userOf(token: string): string {
  return token.slice(-40)
}

/** What a call of this number says; `numberIn` finds it in whatever was made of it. */
function textOf(number: number): string {
  return `call ${number}.`
}

export function numberIn(said: unknown): number {
  return Number(/call (\d+)\./.exec(JSON.stringify(said))?.[1])
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null ? { ...value } : null
}
