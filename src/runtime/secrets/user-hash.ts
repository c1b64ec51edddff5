import { createHmac, timingSafeEqual } from 'node:crypto'

/** The HMAC-SHA256 of a user id in hexadecimal. A site's server computes it, so that a page can prove its user. */
export function userHash(identityKey: string, userId: string): string {
  return createHmac('sha256', identityKey).update(userId).digest('hex')
}

/** Compares in constant time, so that the time reveals nothing about a wrong hash. */
export function isUserHash(given: string, expected: string): boolean {
  const wanted = Buffer.from(expected)
  const text = Buffer.from(given.toLowerCase())
  return text.length === wanted.length && timingSafeEqual(text, wanted)
}
