import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** The row of a secret. It is authenticated with the secret: a sealed value in another row does not open. */
export type SealPlace = { readonly brandId: number; readonly kind: string }

/** AES-256-GCM output; the 16-byte tag is the end of the ciphertext. */
export type Sealed = {
  readonly keyId: string
  readonly nonce: Uint8Array
  readonly ciphertext: Uint8Array
}

/** Seals with the newest key and opens with whichever key the row names. */
export type Sealer = {
  readonly keyId: string
  /** The keys that can open something: the newest and the former ones. */
  readonly keyIds: readonly string[]
  readonly seal: (plaintext: string, place: SealPlace) => Sealed
  readonly open: (sealed: Sealed, place: SealPlace) => string
}

/**
 * `secret` is BECKON_SECRET; `oldSecrets` are its former values, kept until every row is sealed with the new one. Keys
 * are derived from the secret, so it may be any long text.
 */
export function createSealer(secret: string, oldSecrets: readonly string[] = []): Sealer {
  const newest = deriveKey(secret)
  const keys = new Map([newest, ...oldSecrets.map(deriveKey)].map((key) => [key.id, key]))
  return {
    keyId: newest.id,
    keyIds: [...keys.keys()],
    seal: (plaintext, place) => seal(newest, plaintext, place),
    open: (sealed, place) => {
      const key = keys.get(sealed.keyId)
      if (key === undefined)
        throw new Error(
          `${nameOf(place)} was sealed with key ${sealed.keyId}, which this BECKON_SECRET does not give`,
        )
      return open(key, sealed, place)
    },
  }
}

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const KEY_ID_BYTES = 6
const NONCE_BYTES = 12
const TAG_BYTES = 16

type Key = { readonly id: string; readonly bytes: Uint8Array }

/** The id has its own derivation, so that it reveals nothing about the key that it names. */
function deriveKey(secret: string): Key {
  const derive = (purpose: string, length: number): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', secret, '', `beckon ${purpose}`, length))
  return {
    id: Buffer.from(derive('seal id', KEY_ID_BYTES)).toString('hex'),
    bytes: derive('seal', KEY_BYTES),
  }
}

function seal(key: Key, plaintext: string, place: SealPlace): Sealed {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key.bytes, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(placeBytes(place))
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return { keyId: key.id, nonce, ciphertext }
}

/** Catches the error of OpenSSL, because it does not name the row that an operator has to look at. */
function open(key: Key, sealed: Sealed, place: SealPlace): string {
  const body = sealed.ciphertext.subarray(0, -TAG_BYTES)
  const tag = sealed.ciphertext.subarray(-TAG_BYTES)
  try {
    const decipher = createDecipheriv(CIPHER, key.bytes, sealed.nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(placeBytes(place))
    decipher.setAuthTag(tag)
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
  } catch (cause) {
    throw new Error(`${nameOf(place)} was changed after it was sealed`, { cause })
  }
}

/** The brand is digits and ends at the colon, so no two rows have the same text. */
function placeBytes({ brandId, kind }: SealPlace): Buffer {
  return Buffer.from(`${brandId}:${kind}`, 'utf8')
}

function nameOf({ brandId, kind }: SealPlace): string {
  return `secret ${kind} of brand ${brandId}`
}
