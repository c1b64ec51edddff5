import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'

type Cut = { readonly paths: readonly string[]; readonly bytesMax: number }

/** Writes lines to files of bounded size, and yields the path of each. The files take turns, so one can be read meanwhile. */
export async function* cutLines(
  chunks: AsyncIterable<Buffer>,
  { paths, bytesMax }: Cut,
): AsyncGenerator<string> {
  let count = 0
  const nextPath = (): string => paths[count++ % paths.length] ?? ''
  let path = nextPath()
  let part = new LinesFile(path)
  for await (const chunk of chunks) {
    const cut = part.bytes + chunk.length < bytesMax ? -1 : chunk.lastIndexOf(LINE_FEED)
    await part.write(cut === -1 ? chunk : chunk.subarray(0, cut + 1))
    if (cut === -1) continue
    await part.end()
    yield path
    path = nextPath()
    part = new LinesFile(path)
    await part.write(chunk.subarray(cut + 1))
  }
  await part.end()
  if (part.bytes > 0) yield path
}

/** Yields the same values, and lets each next one be made while the reader works with the one before. */
export async function* oneAhead<Value>(values: AsyncGenerator<Value>): AsyncGenerator<Value> {
  let coming = values.next()
  for (;;) {
    const { done, value } = await coming
    if (done === true) return
    coming = values.next()
    // A failure of the next one is thrown when its turn comes. If the reader fails first, that failure is the one to report.
    coming.catch(() => undefined)
    yield value
  }
}

/** Writes all lines to one file. */
export async function writeLines(chunks: AsyncIterable<Buffer>, path: string): Promise<void> {
  const file = new LinesFile(path)
  for await (const chunk of chunks) await file.write(chunk)
  await file.end()
}

const LINE_FEED = 0x0a
const MIB = 1024 * 1024

/** A file that is written from its beginning, in pieces of some size: each costs a trip to the disk and back. */
class LinesFile {
  readonly #stream
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  bytes = 0

  constructor(path: string) {
    this.#stream = createWriteStream(path, { mode: 0o600 })
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.bytes += bytes.length
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#waitingBytes >= PIECE_BYTES) await this.#flush()
  }

  async end(): Promise<void> {
    await this.#flush()
    this.#stream.end()
    await finished(this.#stream)
  }

  async #flush(): Promise<void> {
    const piece = Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    const written = Promise.withResolvers<void>()
    this.#stream.write(piece, (cause) => (cause ? written.reject(cause) : written.resolve()))
    await written.promise
  }
}

const PIECE_BYTES = MIB
