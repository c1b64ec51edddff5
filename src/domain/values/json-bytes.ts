import { isUtf8 } from 'node:buffer'
import { EVENT_LIMITS } from '../../rules/events.ts'
import { LIMITS } from '../../rules/limits.ts'
import { type Fault, fault } from '../fault.ts'
import { accept, type Result, reject } from '../result.ts'
import { parseJson } from './json.ts'
import { type JsonBounds, type JsonExcess, JsonScanner } from './json-scanner.ts'
import type { Path } from './path.ts'

/**
 * Bytes to a JSON value with exact integers. Of two equal keys the last wins, and `__proto__` is a key like any other.
 * The bytes are scanned first, because the parser itself takes any depth and any number of brackets.
 */
export function parseJsonBytes(bytes: Uint8Array): Result<unknown> {
  const scanner = new JsonScanner(BODY_BOUNDS)
  const excess = scanner.scan(bytes)
  if (excess === null) return parseScannedJson(bytes)
  return reject(excessFault(excess, BODY_BOUNDS, scanner.placeIn(bytes)))
}

/** The bounds of a body, unless its endpoint has others. */
export const BODY_BOUNDS: JsonBounds = {
  depthMax: LIMITS.bodyDepthMax,
  containersMax: LIMITS.bodyContainersMax,
  valuesMax: LIMITS.bodyValuesMax,
  membersMax: LIMITS.bodyMembersMax,
}

/** The bounds of a body with attributes of events or people, whose objects may be as large as an entry (decision 0032). */
export const ENTRY_BODY_BOUNDS: JsonBounds = { ...BODY_BOUNDS, membersMax: EVENT_LIMITS.bodyMembersMax }

/** The same for bytes that a scanner has let pass. */
export function parseScannedJson(bytes: Uint8Array): Result<unknown> {
  if (bytes.length === 0) return malformed('it is empty')
  if (!isUtf8(bytes)) return malformed('it is not UTF-8')
  // JSON.parse has no other way to say no than to throw.
  try {
    return accept(parseJson(decoder.decode(bytes)))
  } catch (cause) {
    return malformed(detailOf(cause))
  }
}

/** `place` is the path of the object that has too many members; the other bounds are those of the body as a whole. */
export function excessFault(excess: JsonExcess, bounds: JsonBounds, place: Path): Fault {
  const max = bounds[excess]
  if (excess === 'depthMax') return fault('body_too_deep', null, { max })
  if (excess === 'membersMax') return fault('object_too_wide', place === '' ? null : place, { max })
  const parts = excess === 'containersMax' ? 'objects and lists' : 'values'
  return fault('body_too_complex', null, { max, parts })
}

export function malformed(detail: string): Result<never> {
  return reject(fault('malformed_json', null, { detail }))
}

/** Drops a byte order mark, which JSON.parse would stumble over. */
const decoder = new TextDecoder()

/** V8's sentence without the piece of the body it quotes. */
function detailOf(cause: unknown): string {
  const sentence = cause instanceof Error ? cause.message : String(cause)
  return sentence.replace(/, (\.\.\.)?".*$/s, '').replace(/ in JSON at/, ' at')
}
