import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { errorCode } from '../../runtime/errors.ts'
import { ObjectStoreError } from '../../runtime/object-store/object-store-error.ts'
import type { FileContent, S3Store } from '../../runtime/object-store/s3-store.ts'
import { syncFolder } from '../../runtime/sync-folder.ts'

/** Where event files are kept. A path of a file begins with its brand: `brand=3/week=2026-11-02/events-0001-….parquet`. */
export type FilePlace = {
  /** The folder of this machine in which files are made. */
  readonly folder: string
  /** Takes over a whole file that was made in the folder. When it returns, the file survives the machine's crash. */
  keep(made: MadeFile): Promise<void>
  /** The files with names that freezing gives, and their sizes. Everything else is somebody else's, and stays. */
  list(): Promise<ReadonlyMap<string, bigint>>
  remove(path: string): Promise<void>
  /** Reads the whole file, and compares its content with the one that was stored. */
  compare(file: StoredFile, signal: AbortSignal): Promise<FileState>
}

/** A file as it was stored. */
export type StoredFile = FileContent & { readonly path: string }

/** `damaged`: it has another content, or cannot be read. */
export type FileState = 'whole' | 'damaged' | 'missing'

export type MadeFile = { readonly path: string; readonly madeAt: string; readonly content: FileContent }

const OURS = /^brand=\d+\/week=[\d-]+\/events-\d+-[\da-f]+\.parquet(?:\.part)?$/

/** A folder, which all processes share. */
export function folderPlace(folder: string): FilePlace {
  return {
    folder,
    keep: async ({ path, madeAt }) => {
      const kept = join(folder, path)
      await mkdir(dirname(kept), { recursive: true, mode: 0o700 })
      await rename(madeAt, kept)
      await syncFolder(dirname(kept))
    },
    list: async () => {
      const found = new Map<string, bigint>()
      for (const path of await namesIn(folder)) {
        const size = await fileSize(join(folder, path))
        if (size !== null) found.set(path, size)
      }
      return found
    },
    remove: async (path) => rm(join(folder, path), { force: true }),
    compare: async ({ path, sha256 }) => {
      const found = await readSha256(join(folder, path))
      if (found === 'missing') return found
      return found === sha256 ? 'whole' : 'damaged'
    },
  }
}

/** An object store. Files are made in a folder of this machine, and leave it when they are stored. */
export function storePlace(folder: string, store: S3Store): FilePlace {
  return {
    folder,
    keep: async ({ path, madeAt, content }) => {
      await store.put(path, madeAt, content)
      await rm(madeAt, { force: true })
    },
    list: async () => {
      const found = new Map<string, bigint>()
      for await (const { name, bytes } of store.list()) if (OURS.test(name)) found.set(name, bytes)
      return found
    },
    remove: async (path) => store.remove(path),
    compare: async (file, signal) => compareObject(store, file, signal),
  }
}

/** The object is fetched to a folder that is not the cache, because a copy there would take the place of those that questions need. */
async function compareObject(
  store: S3Store,
  { path, ...content }: StoredFile,
  signal: AbortSignal,
): Promise<FileState> {
  const folder = await mkdtemp(join(tmpdir(), 'beckon-object-'))
  try {
    await store.fetch(path, join(folder, 'object'), { ...content, signal })
    return 'whole'
  } catch (cause) {
    // The store tells of another content by its error.
    const trouble = cause instanceof ObjectStoreError ? cause.trouble : null
    if (trouble === 'damaged' || trouble === 'missing') return trouble
    throw cause
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * This catches the error because a file that goes at this moment was replaced by another one, or its size tells that it is lost, and a file
 * that cannot be read is as bad as a damaged one.
 */
async function readSha256(path: string): Promise<string> {
  return fileSha256(path).catch((cause: unknown) =>
    errorCode(cause) === 'ENOENT' ? 'missing' : 'unreadable',
  )
}

/** The paths of our files in a folder. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const brand of await entriesOf(folder, /^brand=\d+$/)) {
    for (const week of await entriesOf(join(folder, brand), /^week=[\d-]+$/)) {
      const files = await entriesOf(join(folder, brand, week), /^events-/)
      found.push(...files.map((file) => `${brand}/${week}/${file}`).filter((path) => OURS.test(path)))
    }
  }
  return found
}

async function entriesOf(folder: string, pattern: RegExp): Promise<readonly string[]> {
  return (await orNull(readdir(folder)))?.filter((name) => pattern.test(name)) ?? []
}

export async function fileSize(path: string): Promise<bigint | null> {
  return (await orNull(stat(path, { bigint: true })))?.size ?? null
}

/** The SHA-256 of a file, in hex. */
export async function fileSha256(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** A file or folder that is not there is an answer. Any other failure is one of the disk. */
async function orNull<Value>(found: Promise<Value>): Promise<Value | null> {
  try {
    return await found
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return null
    throw cause
  }
}
