/** As much of protobuf's wire format as Chromium's push protocol needs. Each `write…` gives one whole field. */
export function writeInteger(field: number, value: number | bigint): Buffer {
  return Buffer.concat([varint(field * 8 + WIRE.varint), varint(value)])
}

export function writeFixed64(field: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return Buffer.concat([varint(field * 8 + WIRE.fixed64), bytes])
}

/** Text, bytes, or a whole message inside another. */
export function writeBytes(field: number, value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([varint(field * 8 + WIRE.bytes), varint(bytes.length), bytes])
}

export function varint(value: number | bigint): Buffer {
  const bytes: number[] = []
  let rest = BigInt(value)
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Buffer.from([...bytes, Number(rest)])
}

/** A field that was read: its number, and a number or bytes. */
export type Field = { readonly field: number; readonly value: bigint | Buffer }

export function readFields(message: Buffer): readonly Field[] {
  const fields: Field[] = []
  for (let at = 0; at < message.length; ) {
    const key = readVarint(message, at)
    if (key === null) throw new Error('a field begins and does not end')
    const { value, end } = readValue(message, key.end, Number(key.value & 7n))
    fields.push({ field: Number(key.value >> 3n), value })
    at = end
  }
  return fields
}

/** Null when the bytes end before the number does. */
export function readVarint(
  bytes: Buffer,
  start: number,
): { readonly value: bigint; readonly end: number } | null {
  let value = 0n
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes.readUInt8(at)
    value |= BigInt(byte & 127) << BigInt((at - start) * 7)
    if (byte < 128) return { value, end: at + 1 }
  }
  return null
}

const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const

function readValue(message: Buffer, at: number, wire: number): Pick<Field, 'value'> & { end: number } {
  if (wire === WIRE.fixed64) return { value: message.readBigUInt64LE(at), end: at + 8 }
  if (wire === WIRE.fixed32) return { value: BigInt(message.readUInt32LE(at)), end: at + 4 }
  const number = readVarint(message, at)
  if (number === null || (wire !== WIRE.varint && wire !== WIRE.bytes)) throw new Error(`wire type ${wire}`)
  if (wire === WIRE.varint) return number
  const end = number.end + Number(number.value)
  return { value: message.subarray(number.end, end), end }
}
