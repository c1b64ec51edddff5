import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from '../../../web/client/client.ts'
import type { Lab } from '../lab/lab.ts'
import { LabClient } from './client.ts'
import { DEEDS } from './deeds.ts'
import { type Ledger, newLedger } from './ledger.ts'
import { newLibrary } from './library.ts'
import { refusedQuestions } from './questions.ts'
import type { World } from './world.ts'

/** The clients at work, from the constructor on until `stop`. `round` begins every mark. */
export class Load {
  readonly client: LabClient
  readonly round: string
  readonly ledger: Ledger
  readonly #library: Client
  readonly #stop = new AbortController()
  readonly #running: Promise<unknown>
  #count = 0

  constructor(lab: Lab, world: World, round: string) {
    this.client = new LabClient(lab.url, lab.brand)
    this.round = round
    this.ledger = newLedger(world.gone)
    this.#library = newLibrary(lab)
    const context = {
      client: this.client,
      library: this.#library,
      world,
      ledger: this.ledger,
      round,
      signal: this.#stop.signal,
      newMark: () => `${round}-${++this.#count}`,
    }
    const clients = DEEDS.flatMap((deed) => Array.from({ length: deed.clients }, () => deed))
    this.#running = Promise.all(
      clients.map(async ({ run, pauseMs }) => {
        while (!this.#stop.signal.aborted) {
          await run(context)
          await wait(pauseMs)
        }
      }),
    )
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
    await this.#library.close()
    const { questions, refused } = this.ledger.asked
    refused.push(...refusedQuestions(questions, this.client.acknowledgedAt))
  }
}
