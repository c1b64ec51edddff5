import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

type Ceremony = {
  /** The `options` of a reply. */
  readonly options: unknown
  readonly origin: string
  /** Whether the device asks for a finger or a PIN. */
  readonly verifiesUser?: boolean
}

/** A device with one passkey, without a browser: it makes a credential and signs challenges (WebAuthn level 2). */
export class Authenticator {
  readonly id = randomBytes(32)
  readonly #key: KeyObject
  readonly #publicKey: KeyObject
  #signCount = 0

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#key = privateKey
    this.#publicKey = publicKey
  }

  /** The answer to a challenge for a new passkey. */
  create({ options, origin, verifiesUser = true }: Ceremony): object {
    const { challenge, rp } = Object(options)
    const attested = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, this.id.length]),
      this.id,
      encodeMap(this.#coseKey()),
    ])
    const data = this.#data(String(rp.id), { flags: AT | flagsOf(verifiesUser), attested })
    const attestation = encodeMap([
      ['fmt', 'none'],
      ['attStmt', []],
      ['authData', data],
    ])
    const clientData = clientDataOf('webauthn.create', String(challenge), origin)
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    })
  }

  /** The answer to a challenge for a sign-in. */
  sign({ options, origin, verifiesUser = true }: Ceremony): object {
    const { challenge, rpId } = Object(options)
    this.#signCount += 1
    const data = this.#data(String(rpId), { flags: flagsOf(verifiesUser), attested: Buffer.alloc(0) })
    const clientData = clientDataOf('webauthn.get', String(challenge), origin)
    const signature = createSign('sha256')
      .update(Buffer.concat([data, sha256(clientData)]))
      .sign(this.#key)
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
    })
  }

  #credential(response: object): object {
    const id = this.id.toString('base64url')
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }

  #data(rpId: string, { flags, attested }: { readonly flags: number; readonly attested: Buffer }): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(this.#signCount)
    return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([flags]), count, attested])
  }

  /** An EC2 key on P-256 for ES256 (RFC 9053). */
  #coseKey(): readonly Entry[] {
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' })
    return [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]
  }
}

const [UP, UV, AT] = [0x01, 0x04, 0x40]

function flagsOf(verifiesUser: boolean): number {
  return verifiesUser ? UP | UV : UP
}

function clientDataOf(type: string, challenge: string, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

type Entry = readonly [key: number | string, value: number | string | Buffer | readonly Entry[]]

/** CBOR (RFC 8949): maps of small integers, texts and bytes. */
function encodeMap(entries: readonly Entry[]): Buffer {
  return Buffer.concat([head(5, entries.length), ...entries.flat().map(encodeValue)])
}

function encodeValue(value: Entry[0] | Entry[1]): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  return Buffer.isBuffer(value) ? Buffer.concat([head(2, value.length), value]) : encodeMap(entriesOf(value))
}

function entriesOf(value: Buffer | readonly Entry[]): readonly Entry[] {
  return Buffer.isBuffer(value) ? [] : value
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  return length < 256
    ? Buffer.from([(major << 5) | 24, length])
    : Buffer.from([(major << 5) | 25, length >> 8, length & 255])
}
