import type { SplitWay, Way } from './plan.ts'

/**
 * Which way a person takes at a split. It follows from the names alone, so the same person takes the same way each
 * time and in every process; `key` tells one split from another, so that two splits do not send the same people left.
 */
export function splitWay(ways: readonly SplitWay[], key: string): Way {
  const place = hash(key) % 100
  let upTo = 0
  for (const { percent, way } of ways) {
    upTo += percent
    if (place < upTo) return way
  }
  throw new Error('the percentages of a split do not add up to 100')
}

/** FNV-1a with a final mix, because its lowest digits alone are not even. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}
