import type { Openssl } from './openssl-functions.ts'
import { type Agreement, BATCH_MAX, HASH_BYTES, POINT_BYTES } from './primitives.ts'

/**
 * Key pairs and shared secrets on the curve P-256. Both are points that OpenSSL computes as fractions, and a division takes longer
 * than everything else but the multiplications on the curve: so all points of a batch share one (`EC_POINTs_make_affine`).
 */
export class OpensslAgreements {
  readonly #openssl: Openssl['functions']
  readonly #objects: Objects
  readonly #memory: ReturnType<typeof shareMemory>

  private constructor({ functions, share }: Openssl, objects: Objects) {
    this.#openssl = functions
    this.#objects = objects
    this.#memory = shareMemory(share, objects.points)
  }

  /** Null if OpenSSL could not make one of its objects. */
  static open(openssl: Openssl): OpensslAgreements | null {
    const objects = makeObjects(openssl.functions)
    const { points, ...others } = objects
    const isMade = ![...Object.values(others), ...points].includes(NULL)
    return isMade ? new OpensslAgreements(openssl, objects) : null
  }

  agree(readerKeys: readonly Uint8Array[]): readonly (Agreement | null)[] {
    if (readerKeys.length > BATCH_MAX) throw new Error(`more than ${BATCH_MAX} keys`)
    let pairCount = 0
    const pairs = readerKeys.map((readerKey) => {
      if (!this.#readKey(readerKey)) return null
      const pair = this.#multiply(pairCount)
      pairCount += 1
      return pair
    })
    // A division for each point takes less time than the preparation for two of them.
    const isShared = pairCount > 1
    if (isShared) this.#divide(pairCount)
    return pairs.map((pair) => pair && this.#agreementOf(pair, isShared))
  }

  /** Whether a key from outside is a point on the curve. Then it is in `reader`. */
  #readKey(readerKey: Uint8Array): boolean {
    if (readerKey.length !== POINT_BYTES || readerKey[0] !== UNCOMPRESSED) return false
    const { group, reader, scratch } = this.#objects
    const { key } = this.#memory
    key.bytes.set(readerKey)
    // OpenSSL refuses a point that is not on the curve; on P-256 no second check is needed.
    if (this.#openssl.EC_POINT_oct2point(group, reader, key.address, BigInt(POINT_BYTES), scratch) === 1)
      return true
    // OpenSSL keeps the error, and the next TLS read of this thread would take it for its own.
    this.#openssl.ERR_clear_error()
    return false
  }

  /** A new key pair, and what it shares with `reader`. */
  #multiply(place: number): Pair {
    const openssl = this.#openssl
    const { group, keyPair, points, reader, scratch } = this.#objects
    const [ours, shared] = [points[place * 2] ?? NULL, points[place * 2 + 1] ?? NULL]
    const isDone =
      openssl.EC_KEY_generate_key(keyPair) === 1 &&
      openssl.EC_POINT_copy(ours, openssl.EC_KEY_get0_public_key(keyPair)) === 1 &&
      openssl.EC_POINT_mul(group, shared, NULL, reader, openssl.EC_KEY_get0_private_key(keyPair), scratch) ===
        1
    if (!isDone) throw new Error('OpenSSL agreed on no secret')
    return { ours, shared }
  }

  /** Brings the points of the first pairs to a form whose denominator is one. */
  #divide(pairCount: number): void {
    const { group, scratch } = this.#objects
    const { list } = this.#memory
    if (this.#openssl.EC_POINTs_make_affine(group, BigInt(pairCount * 2), list.address, scratch) !== 1)
      throw new Error('OpenSSL divided no points')
  }

  #agreementOf({ ours, shared }: Pair, isDivided: boolean): Agreement {
    const [publicKey, secret] = [Buffer.allocUnsafe(POINT_BYTES), Buffer.allocUnsafe(HASH_BYTES)]
    const { x, y } = this.#objects
    this.#readPoint(ours, isDivided)
    publicKey[0] = UNCOMPRESSED
    this.#writeNumber(x, publicKey, 1)
    this.#writeNumber(y, publicKey, 1 + HASH_BYTES)
    this.#readPoint(shared, isDivided)
    this.#writeNumber(x, secret, 0)
    return { publicKey, secret }
  }

  /** Puts the numbers of a point into `x` and `y`. */
  #readPoint(point: bigint, isDivided: boolean): void {
    const openssl = this.#openssl
    const { group, scratch, x, y } = this.#objects
    const isRead = isDivided
      ? openssl.EC_POINT_get_Jprojective_coordinates_GFp(group, point, x, y, NULL, scratch)
      : openssl.EC_POINT_get_affine_coordinates(group, point, x, y, scratch)
    if (isRead !== 1) throw new Error('OpenSSL gave no point')
  }

  #writeNumber(from: bigint, to: Uint8Array, at: number): void {
    const { number } = this.#memory
    if (this.#openssl.BN_bn2binpad(from, number.address, BigInt(HASH_BYTES)) !== HASH_BYTES)
      throw new Error('OpenSSL gave a number of another size')
    to.set(number.bytes, at)
  }
}

/** The points of one message: the public half of its key pair, and the shared one. */
type Pair = { readonly ours: bigint; readonly shared: bigint }

type Objects = ReturnType<typeof makeObjects>

function makeObjects(openssl: Openssl['functions']) {
  const group = openssl.EC_GROUP_new_by_curve_name(P256)
  return {
    group,
    keyPair: openssl.EC_KEY_new_by_curve_name(P256),
    reader: openssl.EC_POINT_new(group),
    scratch: openssl.BN_CTX_new(),
    x: openssl.BN_new(),
    y: openssl.BN_new(),
    points: Array.from({ length: BATCH_MAX * 2 }, () => openssl.EC_POINT_new(group)),
  }
}

/** `list` has the addresses of all points, as `EC_POINTs_make_affine` takes them. */
function shareMemory(share: Openssl['share'], points: readonly bigint[]) {
  const list = share(points.length * POINTER_BYTES)
  for (const [place, point] of points.entries()) list.bytes.writeBigUInt64LE(point, place * POINTER_BYTES)
  return { list, key: share(POINT_BYTES), number: share(HASH_BYTES) }
}

/** OpenSSL's number for the curve (`NID_X9_62_prime256v1`). */
const P256 = 415
/** The first byte of a point that is written as two numbers. */
const UNCOMPRESSED = 4
const POINTER_BYTES = 8
const NULL = 0n
