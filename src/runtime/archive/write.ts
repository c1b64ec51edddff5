import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { errorCode, StartError } from '../errors.ts'
import { syncFolder } from '../sync-folder.ts'
import { type Frame, frameHead, LETTERS, MAGIC } from './frame.ts'

/** Only the owner may read the file, because it contains secrets. */
const MODE = 0o600

/**
 * Writes frames to a compressed, sealed file. The file gets its name when it is complete and on disk; until then, and
 * after a failure, an older file of that name stays.
 */
export async function writeArchive(file: string, frames: AsyncIterable<Frame>): Promise<void> {
  const draft = `${file}.partial`
  try {
    await rm(draft, { force: true })
    const target = createWriteStream(draft, { flags: 'wx', mode: MODE, flush: true })
    await pipeline(seal(frames), compressor(), afterMagic, target)
    await rename(draft, file)
    await syncFolder(dirname(file))
  } catch (cause) {
    // Of two failures, the first is reported.
    await rm(draft, { force: true }).catch(() => undefined)
    throw explain(cause, file)
  }
}

/** A sentence for a full disk or a folder without permission; any other error comes back as it is. */
const REFUSALS = ['EACCES', 'EDQUOT', 'EISDIR', 'ENOENT', 'ENOSPC', 'ENOTDIR', 'EPERM', 'EROFS']

function explain(cause: unknown, file: string): unknown {
  const code = errorCode(cause)
  if (code === null || !REFUSALS.includes(code)) return cause
  if (code === 'ENOENT') return new StartError(`The folder ${dirname(file)} does not exist.`, { cause })
  return new StartError(`The file ${file} cannot be written (${code}).`, { cause })
}

function compressor() {
  return createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
}

async function* afterMagic(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield MAGIC
  yield* packed
}

/** The bytes of the file before compression. */
async function* seal(frames: AsyncIterable<Frame>): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  for await (const frame of frames) {
    const payload = frame.kind === 'note' ? Buffer.from(JSON.stringify(frame.value)) : frame.bytes
    const head = frameHead(LETTERS[frame.kind], payload.byteLength)
    hash.update(head).update(payload)
    yield head
    yield payload
  }
  const digest = hash.digest()
  yield Buffer.concat([frameHead(LETTERS.seal, digest.byteLength), digest])
}
