/** What an archive is made of: notes, which are JSON, and bytes between them. What they mean is the writer's matter. */
export type Frame =
  | { readonly kind: 'note'; readonly value: unknown }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }

/** The first bytes of every archive, uncompressed, so that `head` tells what a file is. The digit is the format's. */
export const MAGIC = Buffer.from('beckon archive 1\n')

/**
 * On disk a frame is one letter, its length in four bytes and its payload. The seal comes last: the SHA-256 of
 * everything before it, so that a file is known to be whole before its first row is used.
 */
export const LETTERS = { note: 0x6e, bytes: 0x62, seal: 0x73 } as const

export const HEAD_BYTES = 5
/** No reader has to hold more than this at once; a longer length is damage. */
export const PAYLOAD_BYTES_MAX = 16 * 1024 * 1024

export function frameHead(letter: number, payloadBytes: number): Buffer {
  if (payloadBytes > PAYLOAD_BYTES_MAX) throw new Error(`a frame of ${payloadBytes} bytes is too long`)
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt8(letter, 0)
  head.writeUInt32BE(payloadBytes, 1)
  return head
}
