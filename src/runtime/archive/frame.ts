/** A part of an archive: a note, which is JSON, or bytes. Their meaning is up to the writer. */
export type Frame =
  | { readonly kind: 'note'; readonly value: unknown }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }

/** The first bytes of every archive, uncompressed, so that `head` shows the file type. The digit is the format version. */
export const MAGIC = Buffer.from('beckon archive 1\n')

/**
 * On disk a frame is one letter, its length in four bytes and its payload. The last frame is the seal: the SHA-256 of
 * everything before it, so that a reader can check that a file is complete before it uses the first row.
 */
export const LETTERS = { note: 0x6e, bytes: 0x62, seal: 0x73 } as const

export const HEAD_BYTES = 5
/** The most that a reader has in memory at once; a longer length means that the file is damaged. */
export const PAYLOAD_BYTES_MAX = 16 * 1024 * 1024

export function frameHead(letter: number, payloadBytes: number): Buffer {
  if (payloadBytes > PAYLOAD_BYTES_MAX) throw new Error(`a frame of ${payloadBytes} bytes is too long`)
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt8(letter, 0)
  head.writeUInt32BE(payloadBytes, 1)
  return head
}
