/**
 * A number from 0 up to, but not including, 1 that follows from a key. The same key has the same share in every process
 * and in every version; the shares of many keys are spread evenly, and keys that differ in one character are independent.
 */
export function shareOf(key: string): number {
  return hash(key) / HASHES
}

/** The place of the weight that a key falls on. A weight of 0 is never chosen; at least one must be above 0. */
export function chooseByWeight(weights: readonly number[], key: string): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const mark = shareOf(key) * total
  let upTo = 0
  for (const [place, weight] of weights.entries()) {
    upTo += weight
    if (mark < upTo) return place
  }
  throw new Error('there is no weight above 0 to choose')
}

/** FNV-1a with a final mix, because its lowest digits alone are not even. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}

const HASHES = 2 ** 32
