import { OpensslAgreements } from './openssl-agreements.ts'
import { loadOpenssl, type Openssl, type Shared } from './openssl-functions.ts'
import { AES_GCM, HASH_BYTES, type Primitives } from './primitives.ts'

/**
 * Primitives that call the OpenSSL inside Node directly; null if that is not possible. Every object here is made once and
 * lives as long as the thread.
 */
export async function openOpenssl(): Promise<Primitives | null> {
  const openssl = await loadOpenssl()
  if (openssl === null) return null
  const agreements = OpensslAgreements.open(openssl)
  const seal = openSeal(openssl)
  if (agreements === null || seal === null) return null
  return { agree: (readerKeys) => agreements.agree(readerKeys), hmac: openHmac(openssl), seal }
}

/** HMAC of RFC 2104 by two hashes, because OpenSSL's own looks its hash up anew in each call and takes twice as long. */
function openHmac({ functions: openssl, share }: Openssl): Primitives['hmac'] {
  const [state, hash] = [share(STATE_BYTES), share(HASH_BYTES)]
  const [inner, outer] = [share(BLOCK_BYTES + HMAC_DATA_MAX), share(BLOCK_BYTES + HASH_BYTES)]
  // A key of HKDF has 16 or 32 bytes, so the pads behind it never change.
  inner.bytes.fill(INNER_PAD, HASH_BYTES, BLOCK_BYTES)
  outer.bytes.fill(OUTER_PAD, HASH_BYTES, BLOCK_BYTES)

  function sha256({ address }: Shared, bytes: number): void {
    const isDone =
      openssl.SHA256_Init(state.address) === 1 &&
      openssl.SHA256_Update(state.address, address, BigInt(bytes)) === 1 &&
      openssl.SHA256_Final(hash.address, state.address) === 1
    if (!isDone) throw new Error('OpenSSL made no hash')
  }

  return (key, data) => {
    if (key.length > HASH_BYTES || data.length > HMAC_DATA_MAX)
      throw new Error('a key or text too long to hash')
    for (let at = 0; at < HASH_BYTES; at += 1) {
      const byte = key[at] ?? 0
      inner.bytes[at] = byte ^ INNER_PAD
      outer.bytes[at] = byte ^ OUTER_PAD
    }
    inner.bytes.set(data, BLOCK_BYTES)
    sha256(inner, BLOCK_BYTES + data.length)
    outer.bytes.set(hash.bytes, BLOCK_BYTES)
    sha256(outer, BLOCK_BYTES + HASH_BYTES)
    return Buffer.from(hash.bytes)
  }
}

/** One cipher object is reused: a new one for each message costs more than the encryption. */
function openSeal({ functions: openssl, share }: Openssl): Primitives['seal'] | null {
  const cipher = openssl.EVP_CIPHER_CTX_new()
  if (cipher === NULL) return null
  if (openssl.EVP_EncryptInit_ex(cipher, openssl.EVP_aes_128_gcm(), NULL, NULL, NULL) !== 1) return null
  const [key, nonce] = [share(AES_GCM.keyBytes), share(AES_GCM.nonceBytes)]
  const [text, written] = [share(AES_GCM.textMax + AES_GCM.tagBytes), share(INT_BYTES)]

  return (keyBytes, nonceBytes, data) => {
    const size = data.length
    if (
      keyBytes.length !== AES_GCM.keyBytes ||
      nonceBytes.length !== AES_GCM.nonceBytes ||
      size > AES_GCM.textMax
    )
      throw new Error('no key, nonce or text of AES-128-GCM')
    key.bytes.set(keyBytes)
    nonce.bytes.set(nonceBytes)
    text.bytes.set(data)
    const tag = text.address + BigInt(size)
    const isDone =
      openssl.EVP_EncryptInit_ex(cipher, NULL, NULL, key.address, nonce.address) === 1 &&
      openssl.EVP_EncryptUpdate(cipher, text.address, written.address, text.address, BigInt(size)) === 1 &&
      openssl.EVP_EncryptFinal_ex(cipher, tag, written.address) === 1 &&
      openssl.EVP_CIPHER_CTX_ctrl(cipher, GET_TAG, TAG_BYTES, tag) === 1
    if (!isDone) throw new Error('OpenSSL encrypted nothing')
    return Buffer.from(text.bytes.subarray(0, size + AES_GCM.tagBytes))
  }
}

/** The size of C's `int`. */
const INT_BYTES = 4
/** More than the size of OpenSSL's `SHA256_CTX`, which is 112. */
const STATE_BYTES = 256
/** The block of SHA-256. */
const BLOCK_BYTES = 64
const INNER_PAD = 0x36
const OUTER_PAD = 0x5c
/** The longest text that HKDF hashes here has 145 bytes. */
const HMAC_DATA_MAX = 256
/** OpenSSL's number for "give me the tag" (`EVP_CTRL_AEAD_GET_TAG`). */
const GET_TAG = 16n
const TAG_BYTES = BigInt(AES_GCM.tagBytes)
const NULL = 0n
