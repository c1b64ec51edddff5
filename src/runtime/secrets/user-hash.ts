import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a site's server computes of a user id, so that a page can prove who its user is: HMAC-SHA256 in hexadecimal. */
export function userHash(identityKey: string, userId: string): string {
  return createHmac('sha256', identityKey).update(userId).digest('hex')
}

/** In a time that tells nothing of how near a wrong one is. */
export function isUserHash(given: string, expected: string): boolean {
  const wanted = Buffer.from(expected)
  const text = Buffer.from(given.toLowerCase())
  return text.length === wanted.length && timingSafeEqual(text, wanted)
}
