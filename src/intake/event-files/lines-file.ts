import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

type Cut = { readonly paths: readonly string[]; readonly bytesMax: number }

/** Writes lines to files of bounded size, and yields the path of each. The files take turns, so one can be read meanwhile. */
export async function* cutLines(
  chunks: AsyncIterable<Buffer>,
  { paths, bytesMax }: Cut,
): AsyncGenerator<string> {
  let count = 0
  const nextPath = (): string => paths[count++ % paths.length] ?? ''
  let path = nextPath()
  let part = await LinesFile.open(path)
  try {
    for await (const chunk of chunks) {
      const cut = part.bytes + chunk.length < bytesMax ? -1 : chunk.lastIndexOf(LINE_FEED)
      await part.write(cut === -1 ? chunk : chunk.subarray(0, cut + 1))
      if (cut === -1) continue
      await part.end()
      yield path
      path = nextPath()
      part = await LinesFile.open(path)
      await part.write(chunk.subarray(cut + 1))
    }
    await part.end()
    if (part.bytes > 0) yield path
  } finally {
    await part.close()
  }
}

/** Yields the same values, and lets each next one be made while the reader works with the one before. */
export async function* oneAhead<Value>(values: AsyncGenerator<Value>): AsyncGenerator<Value> {
  let coming = values.next()
  try {
    for (;;) {
      const { done, value } = await coming
      if (done === true) return
      coming = values.next()
      // A failure of the next one is thrown when its turn comes. If the reader fails first, that failure is the one to report.
      coming.catch(() => undefined)
      yield value
    }
  } finally {
    // The maker of the values ends too, after the one that it is making, and lets go of its files.
    await values.return(undefined)
  }
}

/** Writes all lines to one file. */
export async function writeLines(chunks: AsyncIterable<Buffer>, path: string): Promise<void> {
  const file = await LinesFile.open(path)
  try {
    for await (const chunk of chunks) await file.write(chunk)
    await file.end()
  } finally {
    await file.close()
  }
}

const LINE_FEED = 0x0a
const MIB = 1024 * 1024

/**
 * A file that is written from its beginning, in pieces of some size: each costs a trip to the disk and back. A file that is there
 * already is written over and cut at its new end: to let go of all its blocks first holds up other writers of the disk.
 */
class LinesFile {
  readonly #handle: FileHandle
  #isOpen = true
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  bytes = 0

  private constructor(handle: FileHandle) {
    this.#handle = handle
  }

  static async open(path: string): Promise<LinesFile> {
    return new LinesFile(await open(path, constants.O_WRONLY | constants.O_CREAT, 0o600))
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.bytes += bytes.length
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#waitingBytes >= PIECE_BYTES) await this.#flush()
  }

  /** Writes the rest and closes the file. */
  async end(): Promise<void> {
    await this.#flush()
    await this.#handle.truncate(this.bytes)
    await this.close()
  }

  /** Closes the file, whether it is whole or not. Only the first call counts. */
  async close(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await this.#handle.close()
  }

  async #flush(): Promise<void> {
    const piece = Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    await this.#handle.writeFile(piece)
  }
}

const PIECE_BYTES = MIB
