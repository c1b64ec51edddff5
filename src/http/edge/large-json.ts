import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { accept, type Result } from '../../domain/result.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import { malformed, parseScannedJson } from '../../domain/values/json-bytes.ts'
import type { LongList } from '../../domain/values/json-scanner.ts'
import { collectYoung } from '../../runtime/processes/collect-garbage.ts'

/**
 * Parses a body whose long lists are cut into slices, and serves other requests between two slices: 60 MB in one go
 * would keep everybody else waiting for half a second. The body without its long lists is parsed first, with a word of
 * our own in the place of each, and the lists take their places afterwards.
 */
export async function parseLargeJson(
  bytes: Buffer,
  longLists: readonly LongList[],
): Promise<Result<unknown>> {
  if (longLists.length === 0) return parseScannedJson(bytes)
  const token = randomUUID()
  const frame = parseScannedJson(frameOf(bytes, longLists, token))
  if (!frame.ok) return frame
  if (!isJsonObject(frame.value)) return parseScannedJson(bytes)

  const lists = new Map<string, readonly unknown[]>()
  for (const [index, list] of longLists.entries()) {
    const items = await parseSlices(bytes, list)
    if (!items.ok) return items
    lists.set(`${token} ${index}`, items.value)
  }
  const members = Object.entries(frame.value).map(([name, value]) => {
    const list = typeof value === 'string' ? lists.get(value) : undefined
    return [name, list ?? value]
  })
  return accept(Object.fromEntries(members))
}

function frameOf(bytes: Buffer, longLists: readonly LongList[], token: string): Buffer {
  const parts: Buffer[] = []
  let at = 0
  for (const [index, { from, to }] of longLists.entries()) {
    // Without the brackets of the list, which stand right before `from` and at `to`.
    parts.push(bytes.subarray(at, from - 1), Buffer.from(`"${token} ${index}"`))
    at = to + 1
  }
  return Buffer.concat([...parts, bytes.subarray(at)])
}

async function parseSlices(bytes: Buffer, { from, to, cuts }: LongList): Promise<Result<unknown[]>> {
  const items: unknown[] = []
  const ends = [...cuts, to]
  // One buffer for all slices: a new one for each would be as much garbage as the body, outside of the heap.
  const scratch = Buffer.alloc(longestOf(from, ends) + 2)
  let at = from
  let garbageFrom = from
  for (const end of ends) {
    const slice = parseScannedJson(bracketed(scratch, bytes.subarray(at, end)))
    if (!slice.ok) return malformed('an item of its longest list cannot be read')
    // A slice without an item is two commas in a row.
    if (!Array.isArray(slice.value) || slice.value.length === 0) return malformed('a list lacks an item')
    for (const item of slice.value) items.push(item)
    at = end + 1
    if (at - garbageFrom >= GARBAGE_BYTES_MAX) {
      collectYoung()
      garbageFrom = at
    }
    await nextTurn()
  }
  return accept(items)
}

/** The text of so many bytes, which is garbage as soon as it is parsed, may wait for a collection. */
const GARBAGE_BYTES_MAX = 2 * 1024 * 1024

function longestOf(from: number, ends: readonly number[]): number {
  return ends.reduce((most, end, index) => Math.max(most, end - (ends[index - 1] ?? from)), 0)
}

function bracketed(scratch: Buffer, slice: Buffer): Buffer {
  scratch.write('[', 0)
  slice.copy(scratch, 1)
  scratch.write(']', slice.length + 1)
  return scratch.subarray(0, slice.length + 2)
}
