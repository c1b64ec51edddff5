import type { Agreement, Primitives } from './primitives.ts'

/**
 * Primitives that call the OpenSSL inside Node directly. Null if this Node has no `node:ffi`, which is experimental, or
 * hides its OpenSSL. Every object here is made once and lives as long as the thread.
 */
export async function openOpenssl(): Promise<Primitives | null> {
  const openssl = await loadOpenssl()
  if (openssl === null) return null
  const group = openssl.EC_GROUP_new_by_curve_name(P256)
  const keyPair = openssl.EC_KEY_new_by_curve_name(P256)
  const readerPoint = openssl.EC_POINT_new(group)
  const scratch = openssl.BN_CTX_new()
  const sha256 = openssl.EVP_sha256()
  const cipher = openssl.EVP_CIPHER_CTX_new()
  const aes = openssl.EVP_aes_128_gcm()
  if ([group, keyPair, readerPoint, scratch, sha256, cipher, aes].includes(NULL)) return null
  const publicKey = Buffer.alloc(POINT_BYTES)
  const secret = Buffer.alloc(HASH_BYTES)
  const written = Buffer.alloc(INT_BYTES)

  function agree(readerKey: Uint8Array): Agreement | null {
    if (!isUncompressed(readerKey)) return null
    // OpenSSL refuses a point that is not on the curve; on P-256 no second check is needed.
    if (openssl?.EC_POINT_oct2point(group, readerPoint, readerKey, POINT_SIZE, scratch) !== 1) {
      // OpenSSL keeps the error, and the next TLS read of this thread would take it for its own.
      openssl?.ERR_clear_error()
      return null
    }
    if (openssl.EC_KEY_generate_key(keyPair) !== 1) throw new Error('OpenSSL made no key')
    const ourPoint = openssl.EC_KEY_get0_public_key(keyPair)
    const size = openssl.EC_POINT_point2oct(group, ourPoint, UNCOMPRESSED, publicKey, POINT_SIZE, scratch)
    const length = openssl.ECDH_compute_key(secret, HASH_SIZE, readerPoint, keyPair, NULL)
    if (size !== POINT_SIZE || length !== HASH_BYTES) throw new Error('OpenSSL agreed on no secret')
    return { publicKey, secret }
  }

  function hmac(key: Uint8Array, data: Uint8Array): Buffer {
    const hash = Buffer.allocUnsafe(HASH_BYTES)
    const done = openssl?.HMAC(sha256, key, key.length, data, BigInt(data.length), hash, NULL)
    if (done === NULL) throw new Error('OpenSSL made no hash')
    return hash
  }

  function seal(key: Uint8Array, nonce: Uint8Array, data: Uint8Array): Buffer {
    if (key.length !== KEY_BYTES || nonce.length !== NONCE_BYTES)
      throw new Error('no key or nonce of AES-128-GCM')
    const sealed = Buffer.allocUnsafe(data.length + TAG_BYTES)
    const tag = sealed.subarray(data.length)
    const isDone =
      openssl?.EVP_EncryptInit_ex(cipher, aes, NULL, key, nonce) === 1 &&
      openssl.EVP_EncryptUpdate(cipher, sealed, written, data, data.length) === 1 &&
      openssl.EVP_EncryptFinal_ex(cipher, tag, written) === 1 &&
      openssl.EVP_CIPHER_CTX_ctrl(cipher, GET_TAG, TAG_BYTES, tag) === 1
    if (!isDone) throw new Error('OpenSSL encrypted nothing')
    return sealed
  }

  return { agree, hmac, seal }
}

/** Only the uncompressed form is passed on: OpenSSL trusts the sizes below and does not check them. */
function isUncompressed(key: Uint8Array): boolean {
  return key.length === POINT_BYTES && key[0] === UNCOMPRESSED
}

async function loadOpenssl() {
  try {
    const { dlopen } = await import('node:ffi')
    return dlopen(null, FUNCTIONS).functions
  } catch {
    return null
  }
}

/** OpenSSL's number for the curve (`NID_X9_62_prime256v1`). */
const P256 = 415
const POINT_BYTES = 65
/** The size of a SHA-256, and of a shared secret on the curve. */
const HASH_BYTES = 32
const POINT_SIZE = BigInt(POINT_BYTES)
const HASH_SIZE = BigInt(HASH_BYTES)
const UNCOMPRESSED = 4
/** The sizes of AES-128-GCM. */
const KEY_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** The size of C's `int`. */
const INT_BYTES = 4
/** OpenSSL's number for "give me the tag" (`EVP_CTRL_AEAD_GET_TAG`). */
const GET_TAG = 16
const NULL = 0n

/** As OpenSSL's headers declare them; all are part of its API since 1.1. */
const FUNCTIONS = {
  BN_CTX_new: { return: 'pointer', arguments: [] },
  EC_GROUP_new_by_curve_name: { return: 'pointer', arguments: ['int32'] },
  EC_KEY_new_by_curve_name: { return: 'pointer', arguments: ['int32'] },
  EC_KEY_generate_key: { return: 'int32', arguments: ['pointer'] },
  EC_KEY_get0_public_key: { return: 'pointer', arguments: ['pointer'] },
  EC_POINT_new: { return: 'pointer', arguments: ['pointer'] },
  EC_POINT_oct2point: { return: 'int32', arguments: ['pointer', 'pointer', 'buffer', 'uint64', 'pointer'] },
  EC_POINT_point2oct: {
    return: 'uint64',
    arguments: ['pointer', 'pointer', 'int32', 'buffer', 'uint64', 'pointer'],
  },
  ERR_clear_error: { return: 'void', arguments: [] },
  EVP_aes_128_gcm: { return: 'pointer', arguments: [] },
  EVP_CIPHER_CTX_new: { return: 'pointer', arguments: [] },
  EVP_CIPHER_CTX_ctrl: { return: 'int32', arguments: ['pointer', 'int32', 'int32', 'buffer'] },
  EVP_EncryptInit_ex: { return: 'int32', arguments: ['pointer', 'pointer', 'pointer', 'buffer', 'buffer'] },
  EVP_EncryptUpdate: { return: 'int32', arguments: ['pointer', 'buffer', 'buffer', 'buffer', 'int32'] },
  EVP_EncryptFinal_ex: { return: 'int32', arguments: ['pointer', 'buffer', 'buffer'] },
  EVP_sha256: { return: 'pointer', arguments: [] },
  HMAC: {
    return: 'pointer',
    arguments: ['pointer', 'buffer', 'int32', 'buffer', 'uint64', 'buffer', 'pointer'],
  },
  ECDH_compute_key: { return: 'int32', arguments: ['buffer', 'uint64', 'pointer', 'pointer', 'pointer'] },
} as const
