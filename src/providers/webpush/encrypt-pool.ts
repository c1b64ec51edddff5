import { Worker } from 'node:worker_threads'
import { Fifo } from '../fifo.ts'
import { type EncryptJob, packJobs, unpackBodies } from './batch.ts'
import { BATCH_MAX } from './primitives.ts'

/** The encrypted body; `bad_key` for a key that is not on the curve; `busy` when the queue is full or closed. */
type Encrypted = Uint8Array | 'bad_key' | 'busy'

/** Called exactly once for each job. It must not throw. */
type OnEncrypted = (encrypted: Encrypted) => void

/** The encryption that a web push client needs. A broadcast makes no promise for each of its messages. */
export type Encryptor = { readonly encrypt: (job: EncryptJob, onEncrypted: OnEncrypted) => void }

/**
 * Encrypts in threads, because P-256 is nearly the whole cost of a web push. Jobs gather while the threads are busy, so
 * that batches are large under load, and a single message does not wait. Channels take turns, job by job, so that a
 * broadcast of one channel delays a message of another by a batch or two.
 */
export class EncryptPool implements Encryptor {
  /** The jobs of each channel that waits; the channels are in the order of their turns. */
  readonly #waiting = new Map<string, Fifo<Waiting>>()
  #waitingCount = 0
  readonly #threads: EncryptThread[]
  #isFlushing = false
  #isClosed = false

  constructor(threadCount: number) {
    const onFree = (): void => this.#flush()
    this.#threads = Array.from({ length: threadCount }, () => new EncryptThread(onFree))
  }

  encrypt(job: EncryptJob, onEncrypted: OnEncrypted, channel = ''): void {
    const line = this.#waiting.get(channel) ?? new Fifo<Waiting>()
    if (this.#isClosed || this.#isFullFor(line.size)) return onEncrypted('busy')
    line.push({ job, onEncrypted })
    this.#waiting.set(channel, line)
    this.#waitingCount += 1
    return this.#flushSoon()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#take(this.#waitingCount).forEach(({ onEncrypted }) => onEncrypted('busy'))
    await Promise.all(this.#threads.map(async (thread) => thread.close()))
  }

  /** A channel with few waiting jobs is not refused because of others. */
  #isFullFor(waitingOfChannel: number): boolean {
    if (waitingOfChannel >= CHANNEL_WAITING_MAX) return true
    return this.#waitingCount >= WAITING_MAX && waitingOfChannel >= CHANNEL_WAITING_FEW
  }

  /** Flushes after the event loop's turn, so that jobs of one turn share a batch. */
  #flushSoon(): void {
    if (this.#isFlushing) return
    this.#isFlushing = true
    setImmediate(() => {
      this.#isFlushing = false
      this.#flush()
    })
  }

  /** Gives the waiting jobs to the threads that have room, the least busy first. */
  #flush(): void {
    while (this.#waitingCount > 0) {
      const [thread] = this.#threads.toSorted((one, other) => one.batchCount - other.batchCount)
      if (thread === undefined || thread.batchCount >= BATCHES_PER_THREAD) return
      thread.run(this.#take(BATCH_MAX))
    }
  }

  #take(countMax: number): readonly Waiting[] {
    const taken: Waiting[] = []
    // A channel that had its turn goes to the end of the map, and the loop meets it there again.
    for (const [channel, line] of this.#waiting) {
      if (taken.length >= countMax) break
      // A channel that waits alone needs no turns.
      const turn = this.#waiting.size === 1 ? countMax - taken.length : 1
      for (let count = 0; count < turn; count += 1) {
        const next = line.shift()
        if (next !== undefined) taken.push(next)
      }
      this.#waiting.delete(channel)
      if (line.size > 0) this.#waiting.set(channel, line)
    }
    this.#waitingCount -= taken.length
    return taken
  }
}

type Waiting = { readonly job: EncryptJob; readonly onEncrypted: OnEncrypted }

/** One batch under way and one ready, so that a thread never waits for the next. */
const BATCHES_PER_THREAD = 2
/** The jobs that wait in all, and of one channel. A channel with few of them has a place in any case. */
const WAITING_MAX = 10_000
const CHANNEL_WAITING_MAX = 5_000
const CHANNEL_WAITING_FEW = 64
/** Node's warning that `node:ffi` is experimental (decisions/0011) is of no use to an operator. */
const THREAD_OPTIONS = ['--disable-warning=ExperimentalWarning']

/** One thread and its batches. If the thread dies, its jobs are answered as busy and a new thread replaces it. */
class EncryptThread {
  readonly #onFree: () => void
  readonly #batches = new Fifo<readonly Waiting[]>()
  #worker: Worker
  #isClosed = false

  constructor(onFree: () => void) {
    this.#onFree = onFree
    this.#worker = this.#start()
  }

  get batchCount(): number {
    return this.#batches.size
  }

  run(batch: readonly Waiting[]): void {
    const packed = packJobs(batch.map(({ job }) => job))
    this.#batches.push(batch)
    this.#worker.ref()
    this.#worker.postMessage(packed, [packed])
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#worker.terminate()
  }

  #start(): Worker {
    const worker = new Worker(new URL('./encrypt-thread.ts', import.meta.url), { execArgv: THREAD_OPTIONS })
    worker.on('message', (packed: ArrayBuffer) => this.#finish([...unpackBodies(packed)]))
    // An error is always followed by the exit, which starts a new thread.
    worker.on('error', () => undefined)
    worker.on('exit', () => this.#giveBack())
    worker.unref()
    return worker
  }

  #finish(bodies: readonly (Uint8Array | null)[]): void {
    const batch = this.#batches.shift() ?? []
    for (const [index, { onEncrypted }] of batch.entries()) onEncrypted(bodies[index] ?? 'bad_key')
    if (this.batchCount === 0) this.#worker.unref()
    this.#onFree()
  }

  #giveBack(): void {
    for (let batch = this.#batches.shift(); batch !== undefined; batch = this.#batches.shift()) {
      for (const { onEncrypted } of batch) onEncrypted('busy')
    }
    if (this.#isClosed) return
    this.#worker = this.#start()
    this.#onFree()
  }
}
