/**
 * Reads a text in HPACK's Huffman code (RFC 7541 §5.2). Null for a text with a character beyond printable ASCII: no header
 * that we read has one, and their codes of 19 bits and more are not in the table.
 */
export function readHuffman(bytes: Uint8Array): string | null {
  let text = ''
  let code = 0
  let bits = 0
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit -= 1) {
      code = (code << 1) | ((byte >> bit) & 1)
      bits += 1
      const symbol = SYMBOLS[bits]?.[code - (FIRST_CODES[bits] ?? 0)]
      if (symbol !== undefined) {
        text += symbol
        code = 0
        bits = 0
      } else if (bits > BITS_MAX) return null
    }
  }
  // The rest must be at most seven ones: the beginning of the code for the end.
  return bits <= 7 && code === (1 << bits) - 1 ? text : null
}

/**
 * RFC 7541, appendix B, as characters by the length of their code. The code is canonical: codes of one length follow
 * each other in the order of their characters, and the next length goes on from there.
 */
const SYMBOLS: Readonly<Record<number, string>> = {
  5: '012aceiost',
  6: ' %-./3456789=A_bdfghlmnpru',
  7: ':BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz',
  8: '&*,;XZ',
  10: '!"()?',
  11: "'+|",
  12: '#>',
  13: '\0$@[]~',
  14: '^}',
  15: '<`{',
}
const BITS_MAX = 15
const FIRST_CODES = firstCodes()

function firstCodes(): readonly number[] {
  const codes: number[] = [0]
  for (let bits = 1; bits <= BITS_MAX; bits += 1) {
    codes.push(((codes[bits - 1] ?? 0) + (SYMBOLS[bits - 1]?.length ?? 0)) << 1)
  }
  return codes
}
