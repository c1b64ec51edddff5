/**
 * Whether 65 bytes are the uncompressed form of a point on the curve P-256, as a browser's key must be (RFC 8291).
 * A key that is none would be found out only when the first message is encrypted, long after its caller has gone.
 */
export function isP256Point(bytes: Uint8Array): boolean {
  if (bytes.length !== POINT_BYTES || bytes[0] !== UNCOMPRESSED) return false
  const x = integerOf(bytes.subarray(1, 33))
  const y = integerOf(bytes.subarray(33))
  if (x >= P || y >= P) return false
  return (y * y - (x * x * x - 3n * x + B)) % P === 0n
}

const POINT_BYTES = 65
const UNCOMPRESSED = 4
/** The curve is y² = x³ − 3x + b over the integers modulo p (FIPS 186-5, SP 800-186). */
const P = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn

function integerOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${bytes.toHex()}`)
}
