/** Cuts a text to the limit of an attribute: 255 bytes of UTF-8, between two characters (spec §8). */
export function clip(text: string): string {
  let clipped = ''
  let bytes = 0
  for (const char of text) {
    bytes += new TextEncoder().encode(char).length
    if (bytes > BYTES_MAX) break
    clipped += char
  }
  return clipped.slice(0, CHARS_MAX)
}

const BYTES_MAX = 255
const CHARS_MAX = 254
