import { hash, randomBytes, randomUUIDv7 } from 'node:crypto'

/** SHA-256 of a text: how API keys are stored and looked up, and how two request bodies are compared. */
export function sha256(text: string): Uint8Array {
  return hash('sha256', text, 'buffer')
}

/** Random bytes for keys and tokens. */
export function randomBits(bytes: number): Uint8Array {
  return randomBytes(bytes)
}

/** A new id that begins with its time, so that ids sort in the order of their creation. */
export function newId(): string {
  return randomUUIDv7()
}
