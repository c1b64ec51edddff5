import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import { StartError } from '../errors.ts'
import { type Frame, HEAD_BYTES, LETTERS, MAGIC, PAYLOAD_BYTES_MAX } from './frame.ts'

/**
 * Reads the frames of an archive in order. A damaged file throws, at the latest at its end, so a caller that must not use
 * half a file reads it to the end once before.
 */
export async function* readArchive(file: string): AsyncGenerator<Frame> {
  await checkMagic(file)
  const hash = createHash('sha256')
  let sealed: Buffer | null = null
  for await (const { letter, head, payload } of split(file)) {
    if (sealed !== null) throw damaged(file, 'it goes on after its end')
    if (letter === LETTERS.seal) {
      sealed = payload
      continue
    }
    hash.update(head).update(payload)
    yield frameOf(file, letter, payload)
  }
  if (sealed === null) throw damaged(file, 'it is cut off')
  if (!hash.digest().equals(sealed)) throw damaged(file, 'its checksum is wrong')
}

async function checkMagic(file: string): Promise<void> {
  const handle = await open(file).catch((cause: unknown) => {
    throw new StartError(`The file ${file} cannot be read.`, { cause })
  })
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(MAGIC.length), position: 0 })
    if (!buffer.subarray(0, bytesRead).equals(MAGIC)) {
      throw new StartError(`The file ${file} is not a backup that this Beckon can read.`)
    }
  } finally {
    await handle.close()
  }
}

type RawFrame = { readonly letter: number; readonly head: Buffer; readonly payload: Buffer }

async function* split(file: string): AsyncGenerator<RawFrame> {
  let rest = Buffer.alloc(0)
  for await (const chunk of inflate(file)) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let frame = takeFrame(file, rest); frame !== null; frame = takeFrame(file, rest)) {
      rest = rest.subarray(HEAD_BYTES + frame.payload.length)
      yield frame
    }
  }
  if (rest.length > 0) throw damaged(file, 'it is cut off')
}

async function* inflate(file: string): AsyncGenerator<Buffer<ArrayBuffer>> {
  try {
    // A failure of either stream reaches the loop below.
    const bytes = pipeline(
      createReadStream(file, { start: MAGIC.length }),
      createZstdDecompress(),
      () => undefined,
    )
    for await (const chunk of bytes) yield Buffer.from(chunk)
  } catch (cause) {
    // An error of zstd means that the file is damaged.
    throw damaged(file, cause instanceof Error ? cause.message : 'it cannot be unpacked', cause)
  }
}

function takeFrame(file: string, bytes: Buffer): RawFrame | null {
  if (bytes.length < HEAD_BYTES) return null
  const payloadBytes = bytes.readUInt32BE(1)
  if (payloadBytes > PAYLOAD_BYTES_MAX) throw damaged(file, 'a length in it is impossible')
  const end = HEAD_BYTES + payloadBytes
  if (bytes.length < end) return null
  return {
    letter: bytes.readUInt8(0),
    head: bytes.subarray(0, HEAD_BYTES),
    payload: bytes.subarray(HEAD_BYTES, end),
  }
}

function frameOf(file: string, letter: number, payload: Buffer): Frame {
  if (letter === LETTERS.bytes) return { kind: 'bytes', bytes: payload }
  if (letter === LETTERS.note) return { kind: 'note', value: parseNote(file, payload) }
  throw damaged(file, 'a part of it is unknown')
}

function parseNote(file: string, payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8'))
  } catch (cause) {
    // The checksum would show it too, but it stands at the end of the file.
    throw damaged(file, 'a note in it is no JSON', cause)
  }
}

/** For a caller that finds wrong notes in the file. */
export function damaged(file: string, how: string, cause?: unknown): StartError {
  return new StartError(`The backup ${file} is damaged: ${how}. Nothing of it was restored.`, {
    cause,
  })
}
