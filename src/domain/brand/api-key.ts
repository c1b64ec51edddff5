import { KEY_KINDS, type KeyKind } from '../../rules/brand.ts'

/** Random bytes of a generated key. It cannot be guessed, so a plain hash of it is safe to store. */
export const KEY_RANDOM_BYTES = 32

/** The text of a new key. People and secret scanners recognise it by its prefix. */
export function formatKey(kind: KeyKind, random: Uint8Array): string {
  return `${KEY_KINDS[kind].prefix}${Buffer.from(random).toString('base64url')}`
}

/** The part of a key that lists show: enough to tell keys apart, and at most a quarter of the random part. */
export function keyHint(kind: KeyKind, plaintext: string): string {
  const { prefix } = KEY_KINDS[kind]
  const shown = plaintext.startsWith(prefix) ? prefix : ''
  const rest = plaintext.slice(shown.length)
  return `${shown}${rest.slice(0, Math.min(HINT_CHARS, Math.floor(rest.length / 4)))}…`
}

const HINT_CHARS = 4
