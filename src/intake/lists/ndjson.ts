import { fault } from '../../domain/fault.ts'
import { reject } from '../../domain/result.ts'
import { parseJsonBytes } from '../../domain/values/json-bytes.ts'
import { IMPORT_LIMITS } from '../../rules/limits.ts'
import type { ListRow } from './import.ts'

/** A list with one JSON value on each line. Empty lines count as lines and as nothing else. */
export async function* readNdjson(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ListRow> {
  let line = 0
  for await (const text of linesOf(bytes)) {
    line += 1
    if (text === null) yield { line, body: tooLarge() }
    else if (!isBlank(text)) yield { line, body: parseJsonBytes(text) }
  }
}

/** Lines without their ends; null for one that is too long, of which no more than that is ever held. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | null> {
  let begun: Uint8Array = new Uint8Array()
  for await (const chunk of bytes) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      yield bounded(join(begun, chunk.subarray(from, end)))
      begun = new Uint8Array()
      from = end + 1
    }
    begun = join(begun, chunk.subarray(from))
  }
  if (begun.length > 0) yield bounded(begun)
}

const NEWLINE = 0x0a

/** Bytes beyond the bound are not kept; one of them is enough to know that the line is too long. */
function join(begun: Uint8Array, more: Uint8Array): Uint8Array {
  if (begun.length === 0) return more
  return begun.length > IMPORT_LIMITS.rowBytesMax ? begun : Buffer.concat([begun, more])
}

function bounded(line: Uint8Array): Uint8Array | null {
  return line.length > IMPORT_LIMITS.rowBytesMax ? null : line
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09)
}

function tooLarge(): ListRow['body'] {
  return reject(fault('row_too_large', null, { max: IMPORT_LIMITS.rowBytesMax }))
}
