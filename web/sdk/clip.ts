/** Cuts a text to the limit of an attribute: 255 bytes of UTF-8, between two characters (spec §8). */
export function clip(text: string): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(BYTES_MAX))
  return text.slice(0, Math.min(read, CHARS_MAX))
}

const BYTES_MAX = 255
const CHARS_MAX = 254
