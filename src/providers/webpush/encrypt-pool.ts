import { Worker } from 'node:worker_threads'
import { Fifo } from '../fifo.ts'
import { type EncryptJob, packJobs, unpackBodies } from './batch.ts'

/** The encrypted body; `bad_key` for a key that is not on the curve; `busy` when the queue is full or closed. */
type Encrypted = Uint8Array | 'bad_key' | 'busy'

/** The encryption that a web push client needs. */
export type Encryptor = { readonly encrypt: (job: EncryptJob) => Promise<Encrypted> }

/**
 * Encrypts in threads, because P-256 is nearly the whole cost of a web push. Jobs gather while the threads are busy, so
 * that batches are large under load, and a single message does not wait.
 */
export class EncryptPool implements Encryptor {
  readonly #waiting = new Fifo<Waiting>()
  readonly #threads: EncryptThread[]
  #isFlushing = false
  #isClosed = false

  constructor(threadCount: number) {
    const onFree = (): void => this.#flush()
    this.#threads = Array.from({ length: threadCount }, () => new EncryptThread(onFree))
  }

  async encrypt(job: EncryptJob): Promise<Encrypted> {
    if (this.#isClosed || this.#waiting.size >= WAITING_MAX) return 'busy'
    const { promise, resolve } = Promise.withResolvers<Encrypted>()
    this.#waiting.push({ job, resolve })
    this.#flushSoon()
    return promise
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#take(WAITING_MAX).forEach(({ resolve }) => resolve('busy'))
    await Promise.all(this.#threads.map(async (thread) => thread.close()))
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
    while (this.#waiting.size > 0) {
      const [thread] = this.#threads.toSorted((one, other) => one.batchCount - other.batchCount)
      if (thread === undefined || thread.batchCount >= BATCHES_PER_THREAD) return
      thread.run(this.#take(BATCH_JOBS_MAX))
    }
  }

  #take(countMax: number): readonly Waiting[] {
    const taken: Waiting[] = []
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      taken.push(next)
      if (taken.length === countMax) break
    }
    return taken
  }
}

type Waiting = { readonly job: EncryptJob; readonly resolve: (encrypted: Encrypted) => void }

/** About 6 ms of work: long enough to make the cost of the transfer small, short enough to wait for. */
const BATCH_JOBS_MAX = 32
/** One batch under way and one ready, so that a thread never waits for the next. */
const BATCHES_PER_THREAD = 2
const WAITING_MAX = 10_000
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
    for (const [index, { resolve }] of batch.entries()) resolve(bodies[index] ?? 'bad_key')
    if (this.batchCount === 0) this.#worker.unref()
    this.#onFree()
  }

  #giveBack(): void {
    for (let batch = this.#batches.shift(); batch !== undefined; batch = this.#batches.shift()) {
      for (const { resolve } of batch) resolve('busy')
    }
    if (this.#isClosed) return
    this.#worker = this.#start()
    this.#onFree()
  }
}
