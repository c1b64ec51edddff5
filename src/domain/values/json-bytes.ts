import { isUtf8 } from 'node:buffer'
import { LIMITS } from '../../rules/limits.ts'
import { type Fault, fault } from '../fault.ts'
import { accept, type Result, reject } from '../result.ts'
import { parseJson } from './json.ts'
import { type JsonBounds, type JsonExcess, JsonScanner } from './json-scanner.ts'

/**
 * Bytes to a JSON value with exact integers. Of two equal keys the last wins, and `__proto__` is a key like any other.
 * The bytes are scanned first, because the parser itself takes any depth and any number of brackets.
 */
export function parseJsonBytes(bytes: Uint8Array): Result<unknown> {
  const excess = new JsonScanner(BODY_BOUNDS).scan(bytes)
  return excess === null ? parseScannedJson(bytes) : reject(excessFault(excess, BODY_BOUNDS))
}

/** The bounds of a body, unless its endpoint has others. */
export const BODY_BOUNDS: JsonBounds = {
  depthMax: LIMITS.bodyDepthMax,
  containersMax: LIMITS.bodyContainersMax,
  valuesMax: LIMITS.bodyValuesMax,
}

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

export function excessFault(excess: JsonExcess, bounds: JsonBounds): Fault {
  const max = bounds[excess]
  if (excess === 'depthMax') return fault('body_too_deep', null, { max })
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
