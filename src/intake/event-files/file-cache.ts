import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { EVENT_FILE_LIMITS } from '../../rules/event-files.ts'
import { Limiter } from '../../runtime/limits/limiter.ts'
import { ObjectStoreError } from '../../runtime/object-store/object-store-error.ts'
import type { FileContent, S3Store } from '../../runtime/object-store/s3-store.ts'
import type { StoreOutage } from './store-outage.ts'

/** A listed file, as a question wants it on this machine. */
export type WantedFile = FileContent & { readonly path: string }

type CacheOptions = {
  readonly folder: string
  readonly bytesMax: number
  readonly store: S3Store
  readonly outage: StoreOutage
}

/** The files of a question are more than the cache ever holds. */
export class CacheTooSmall extends Error {}

/** The cache has no room beside the files of other questions, or they could not be fetched in time. Later they may be here. */
export class CacheFull extends Error {}

/**
 * Copies of objects in a folder of this machine, so that DuckDB reads local files only. The folder is all there is to know: the time of a
 * file's last change is that of its last use, so that several processes can share the folder, and a start finds it as it was.
 * A file that was used a moment ago is in use, and is not removed to make room.
 */
export class FileCache {
  readonly #options: CacheOptions
  readonly #fetching = new Map<string, Promise<void>>()
  /** The files that are being fetched have their place already. */
  #comingBytes = 0
  readonly #turns = new Limiter({
    capacity: FETCHES_MAX,
    waitersMax: 10_000,
    waitMs: EVENT_FILE_LIMITS.fetchMsMax,
  })

  constructor(options: CacheOptions) {
    this.#options = options
  }

  /** The most bytes that all copies together have. */
  get bytesMax(): number {
    return this.#options.bytesMax
  }

  /** Brings the files to this machine, each as it was stored. Throws `CacheTooSmall`, `CacheFull`, or an `ObjectStoreError`. */
  async hold(files: readonly WantedFile[], signal: AbortSignal): Promise<readonly HeldFile[]> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(EVENT_FILE_LIMITS.fetchMsMax)])
    const heldAt = Date.now()
    const missing: WantedFile[] = []
    const held: HeldFile[] = []
    for (const file of files) {
      const usedAt = await this.#touch(file, heldAt)
      if (usedAt === null) missing.push(file)
      else held.push({ path: file.path, heldAt, usedAt })
    }
    if (missing.length === 0) return held
    this.#options.outage.check()
    await this.#makeRoom(missing, files)
    const comingBytes = missing.reduce((sum, { bytes }) => sum + bytes, 0)
    this.#comingBytes += comingBytes
    const fetching = { signal: limit, heldAt }
    const ends = await Promise.allSettled(missing.map(async (file) => this.#fetchOnce(file, fetching)))
    this.#comingBytes -= comingBytes
    signal.throwIfAborted()
    this.#judge(ends, limit.aborted)
    for (const file of missing) {
      const usedAt = (await this.#touch(file, heldAt)) ?? heldAt
      // An earlier question that waited for the same fetch reads the copy too.
      const isShared = Math.round(usedAt) < heldAt
      held.push({ path: file.path, heldAt, usedAt: isShared ? usedAt : heldAt - IN_USE_MS })
    }
    return held
  }

  /** Says that files are in use no more, so that others may take their room at once. A file that somebody else has held since stays in use. */
  async release(files: readonly HeldFile[]): Promise<void> {
    for (const { path, heldAt, usedAt } of files) {
      const local = join(this.#options.folder, path)
      const isOurs = Math.abs(((await stat(local).catch(() => null))?.mtimeMs ?? 0) - heldAt) < 1
      // Another process may have removed it.
      if (isOurs) await utimes(local, new Date(usedAt), new Date(usedAt)).catch(() => undefined)
    }
  }

  /** A store that gave some of the files in time is slow, and not away. The next question finds those here. */
  #judge(ends: readonly PromiseSettledResult<void>[], isLate: boolean): void {
    const failed = ends.find((end) => end.status === 'rejected')
    if (ends.some((end) => end.status === 'fulfilled')) this.#options.outage.answered()
    if (failed === undefined) return
    if (!isLate) throw failed.reason
    const late = 'the files of a question were not fetched in time'
    if (ends.every((end) => end.status === 'rejected')) throw new ObjectStoreError('away', late)
    throw new CacheFull(late)
  }

  /** Whether a failure is that the store is away, which needs no further word. */
  isOutage(error: unknown): boolean {
    return this.#options.outage.takes(error)
  }

  close(): void {
    this.#options.store.close()
  }

  /** Removes copies of files that are listed no more: an erased person must not stay in one. */
  async sweep(listed: ReadonlySet<string>): Promise<void> {
    for (const { path, usedAt } of await this.#entries()) {
      const isComing = path.endsWith('.part') && Date.now() - usedAt < COMING_MS
      if (!listed.has(path) && !isComing) await rm(join(this.#options.folder, path), { force: true })
    }
  }

  /**
   * The time of the last use of a file that is here; null if it is not here. From now on it counts as used at `at`, or later, if another
   * question has held it since. A time that is not over yet is of a clock that was wrong.
   */
  async #touch(file: WantedFile, at: number): Promise<number | null> {
    const usedAt = await this.#find(file)
    if (usedAt === null || (usedAt > at && usedAt <= Date.now())) return usedAt
    // Another process may remove it at this moment; then the question that reads it is answered from rows.
    return utimes(join(this.#options.folder, file.path), new Date(at), new Date(at)).then(
      () => usedAt,
      () => null,
    )
  }

  /** The time of the last use of a file that is here; null if it is not here. */
  async #find({ path, bytes }: WantedFile): Promise<number | null> {
    const found = await stat(join(this.#options.folder, path)).catch(() => null)
    return found?.size === bytes ? found.mtimeMs : null
  }

  async #makeRoom(missing: readonly WantedFile[], files: readonly WantedFile[]): Promise<void> {
    const { folder, bytesMax } = this.#options
    const wantedBytes = files.reduce((sum, { bytes }) => sum + bytes, 0)
    if (wantedBytes > bytesMax)
      throw new CacheTooSmall(
        `the files of a question have ${wantedBytes} bytes; BECKON_EVENT_FILES_CACHE allows ${bytesMax}`,
      )
    const wanted = new Set(files.map(({ path }) => path))
    const entries = (await this.#entries()).toSorted((one, other) => one.usedAt - other.usedAt)
    let bytes = [...missing, ...entries].reduce((sum, file) => sum + file.bytes, this.#comingBytes)
    for (const entry of entries) {
      if (bytes <= bytesMax) return
      if (wanted.has(entry.path) || Date.now() - entry.usedAt < IN_USE_MS) continue
      await rm(join(folder, entry.path), { force: true })
      bytes -= entry.bytes
    }
    if (bytes > bytesMax)
      throw new CacheFull(
        `a cache of ${bytesMax} bytes (BECKON_EVENT_FILES_CACHE) has no room for more files at this moment`,
      )
  }

  /** Two questions that want the same file wait for one fetch. */
  async #fetchOnce(file: WantedFile, fetching: Fetching): Promise<void> {
    const coming = this.#fetching.get(file.path)
    // A fetch that another question gave up is begun anew.
    if (coming !== undefined && (await coming.then(() => true).catch(() => false))) return
    const { signal } = fetching
    const fetch = this.#turns.run({ signal }, async () => {
      // While this question made room, a fetch of an earlier one may have ended. A second one would take the copy from it.
      if ((await this.#find(file)) === null) await this.#fetch(file, fetching)
    })
    this.#fetching.set(file.path, fetch)
    try {
      await fetch
    } finally {
      if (this.#fetching.get(file.path) === fetch) this.#fetching.delete(file.path)
    }
  }

  /** The copy counts as used since the question began to hold it. */
  async #fetch({ path, ...content }: WantedFile, { signal, heldAt }: Fetching): Promise<void> {
    const { folder, store } = this.#options
    const local = join(folder, path)
    const part = `${local}.${randomBytes(6).toString('hex')}.part`
    await mkdir(dirname(local), { recursive: true, mode: 0o700 })
    try {
      await store.fetch(path, part, { ...content, signal })
      await utimes(part, new Date(heldAt), new Date(heldAt))
      await rename(part, local)
    } finally {
      await rm(part, { force: true })
    }
  }

  async #entries(): Promise<readonly CacheEntry[]> {
    const { folder } = this.#options
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const entries: CacheEntry[] = []
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const local = join(entry.parentPath, entry.name)
      const path = local.slice(folder.length + 1)
      if (!entry.isFile() || !path.startsWith('brand=')) continue
      const found = await stat(local).catch(() => null)
      if (found !== null) entries.push({ path, bytes: found.size, usedAt: found.mtimeMs })
    }
    return entries
  }
}

/** A file that a question has held, and when it was used before. */
type HeldFile = { readonly path: string; readonly heldAt: number; readonly usedAt: number }

type Fetching = { readonly signal: AbortSignal; readonly heldAt: number }

type CacheEntry = { readonly path: string; readonly bytes: number; readonly usedAt: number }

const FETCHES_MAX = 4
/** A question waits for DuckDB and is answered within this time. */
const IN_USE_MS = 60_000
const COMING_MS = 600_000
