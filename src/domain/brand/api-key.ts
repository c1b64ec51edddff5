import { KEY_KINDS, type KeyKind } from '../../rules/brand.ts'

/** Bytes of chance in a generated key: far beyond guessing, so that a plain hash of it is safe to keep. */
export const KEY_RANDOM_BYTES = 32

/** The text of a new key. The prefix tells people, and secret scanners, what they are looking at. */
export function formatKey(kind: KeyKind, random: Uint8Array): string {
  return `${KEY_KINDS[kind].prefix}${Buffer.from(random).toString('base64url')}`
}

/** What a list may show of a key: enough to tell it from its siblings, never more than a quarter of the chance. */
export function keyHint(kind: KeyKind, plaintext: string): string {
  const { prefix } = KEY_KINDS[kind]
  const shown = plaintext.startsWith(prefix) ? prefix : ''
  const rest = plaintext.slice(shown.length)
  return `${shown}${rest.slice(0, Math.min(HINT_CHARS, Math.floor(rest.length / 4)))}…`
}

const HINT_CHARS = 4
