import { isUtf8 } from 'node:buffer'
import { LIMITS } from '../../rules/limits.ts'
import { fault } from '../fault.ts'
import { accept, type Result, reject } from '../result.ts'
import { hasLongDigits, isJsonObject, parseJson } from './json.ts'

/**
 * Bytes to a JSON value with exact integers. Of two equal keys the last wins, and `__proto__` is a key like any other.
 * JSON.parse goes to any depth, so the depth is counted on the value, which is many times cheaper than on the bytes;
 * only the way that keeps long integers exact is recursive, and there the bytes are looked at first.
 */
export function parseJsonBytes(bytes: Uint8Array): Result<unknown> {
  if (bytes.length === 0) return malformed('it is empty')
  if (!isUtf8(bytes)) return malformed('it is not UTF-8')
  const text = decoder.decode(bytes)
  if (hasLongDigits(text) && isDeeper(bytes, LIMITS.bodyDepthMax)) return tooDeep()
  // JSON.parse has no other way to say no than to throw.
  try {
    const value = parseJson(text)
    return isDeeperThan(value, LIMITS.bodyDepthMax) ? tooDeep() : accept(value)
  } catch (cause) {
    return malformed(detailOf(cause))
  }
}

function tooDeep(): Result<never> {
  return reject(fault('body_too_deep', null, { max: LIMITS.bodyDepthMax }))
}

/** It turns back at the limit, so it is never deeper itself. */
function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (isJsonObject(value)) {
    for (const name in value) if (isDeeperThan(value[name], levels - 1)) return true
    return false
  }
  return Object.values(value).some((part) => isDeeperThan(part, levels - 1))
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
