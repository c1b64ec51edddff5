/** As much of ASN.1's DER as a certificate needs (X.690). Each function gives one whole element. */
export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return element(0x30, ...parts)
}

export function set(...parts: readonly Uint8Array[]): Buffer {
  return element(0x31, ...parts)
}

/** A positive integer from its big-endian bytes. */
export function derInteger(bytes: Uint8Array): Buffer {
  const [first = 0] = bytes
  return element(0x02, first > 0x7f ? Buffer.concat([Buffer.of(0), bytes]) : bytes)
}

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

export function bitString(bytes: Uint8Array): Buffer {
  return element(0x03, Buffer.of(0), bytes)
}

export function octetString(...parts: readonly Uint8Array[]): Buffer {
  return element(0x04, ...parts)
}

export function utf8String(text: string): Buffer {
  return element(0x0c, Buffer.from(text))
}

export function truth(): Buffer {
  return element(0x01, Buffer.of(0xff))
}

/** `YYMMDDHHMMSSZ`, which RFC 5280 asks for until 2049. */
export function utcTime(at: number): Buffer {
  const digits = new Date(at).toISOString().replaceAll(/\.\d+|\D/g, '')
  return element(0x17, Buffer.from(`${digits.slice(2)}Z`))
}

/** A context-specific element: a constructed one contains elements, a primitive one bytes. */
export function tagged(number: number, form: 'constructed' | 'primitive', content: Uint8Array): Buffer {
  return element((form === 'constructed' ? 0xa0 : 0x80) | number, content)
}

function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.of(tag, ...lengthOf(content.length)), content])
}

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length]
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
}

function base128(arc: number): readonly number[] {
  const last = arc & 0x7f
  return arc < 0x80 ? [last] : [...base128(arc >>> 7).map((byte) => byte | 0x80), last]
}
