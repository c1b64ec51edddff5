import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { isBusy } from './ask-beckon.ts'

/** The refusal of a process whose loop is late, as on a machine that is slow. The restart is not the cause. */
const BUSY = 'overloaded'

/** Enough to have requests in flight all the time, and to leave a small machine room for new processes. */
const PACE_MS = 5

/** Eight clients that ask again soon after they are answered, half of them on connections they keep. */
export class Load {
  answered = 0
  readonly failures: string[] = []
  readonly #stop = new AbortController()
  readonly #clients: readonly Promise<void>[]

  constructor(url: string, headers: Headers) {
    this.#clients = Array.from({ length: 8 }, (_, index) =>
      this.#ask({ url: `${url}/api/v1/brand`, headers, isKept: index % 2 === 0 }),
    )
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#clients)
  }

  async #ask(question: Question): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const status = await askOnce(question)
      if (status === '200') this.answered += 1
      else if (status !== BUSY) this.failures.push(status)
      await wait(PACE_MS)
    }
  }
}

type Headers = Readonly<Record<string, string>>
type Question = { readonly url: string; readonly headers: Headers; readonly isKept: boolean }

/** The global agent keeps connections; with `agent: false` each request has one of its own. */
async function askOnce({ url, headers, isKept }: Question): Promise<string> {
  return new Promise((resolve) => {
    const asked = request(url, { headers, ...(isKept ? {} : { agent: false }) }, (reply) => {
      void text(reply).then(
        (body) => resolve(isBusy(body) ? BUSY : String(reply.statusCode)),
        (error: Error) => resolve(error.message),
      )
    })
    asked.once('error', (error) => resolve(error.message)).end()
  })
}
