import { isUtf8 } from 'node:buffer'
import { fault } from '../domain/fault.ts'
import { parseJson } from '../domain/json.ts'
import { accept, type Result, reject } from '../domain/result.ts'
import { LIMITS } from '../rules/limits.ts'

/**
 * Bytes to a JSON value with exact integers. Depth is counted on the bytes, before anything recursive sees them.
 * Of two equal keys the last wins, and `__proto__` is a key like any other.
 */
export function parseJsonBody(bytes: Uint8Array): Result<unknown> {
  if (bytes.length === 0) return malformed('it is empty')
  if (!isUtf8(bytes)) return malformed('it is not UTF-8')
  if (isDeeper(bytes, LIMITS.bodyDepthMax)) {
    return reject(fault('body_too_deep', null, { max: LIMITS.bodyDepthMax }))
  }
  const text = decoder.decode(bytes)
  // JSON.parse has no other way to say no than to throw.
  try {
    return accept(parseJson(text))
  } catch (cause) {
    return malformed(detailOf(cause))
  }
}

/** Drops a byte order mark, which JSON.parse would stumble over. */
const decoder = new TextDecoder()

function isDeeper(bytes: Uint8Array, max: number): boolean {
  let depth = 0
  let isInString = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (isInString) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) isInString = false
      continue
    }
    if (byte === QUOTE) isInString = true
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--
    if (depth > max) return true
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d

function malformed(detail: string): Result<never> {
  return reject(fault('malformed_json', null, { detail }))
}

/** V8's sentence without the piece of the body it quotes. */
function detailOf(cause: unknown): string {
  const sentence = cause instanceof Error ? cause.message : String(cause)
  return sentence.replace(/, (\.\.\.)?".*$/s, '').replace(/ in JSON at/, ' at')
}
