import {
  type Cipheriv,
  createCipheriv,
  createDecipheriv,
  type Decipheriv,
  hkdfSync,
  timingSafeEqual,
} from 'node:crypto'
import { ageOf, createNameSigner, dayOf, type SignerOptions, type TokenAge } from './signed-name.ts'

/** One notification for one subscription of one brand. */
type DeliveryName = {
  readonly brandId: number
  readonly notificationId: string
  readonly subscriptionId: bigint
}

/** One notification for several subscriptions of one brand. */
type DeliveryNames = Omit<DeliveryName, 'subscriptionId'> & { readonly subscriptionIds: readonly bigint[] }

/** Signs the tokens with which devices send receipts of a delivery, so that a device needs no API key. */
export type ReceiptSigner = {
  readonly sign: (delivery: DeliveryName, now: number) => string
  /** The tokens of many deliveries of a notification, in the order of the subscriptions. */
  readonly signAll: (deliveries: DeliveryNames, now: number) => readonly string[]
  /** The delivery that a token was made for; null for a token that we did not make. */
  readonly open: (token: string, now: number) => (DeliveryName & { readonly age: TokenAge }) | null
}

/**
 * A token is `notification.brand.day.block`. The block is the subscription's id with the brand and the day, encrypted in
 * a way that depends on the notification (docs/decisions/0029-receipt-tokens.md); one call of the cipher makes many. On
 * the way back, brand and day must be those before the block. Tokens of the kind before are opened until they expire.
 */
export function createReceiptSigner(options: SignerOptions): ReceiptSigner {
  const { secret, oldSecrets, lifeDays } = options
  const former = createNameSigner({ purpose: 'beckon receipt', idChars: 32 }, options)
  const newest = openCiphers(secret)
  const all = [newest, ...oldSecrets.map(openCiphers)]
  const signAll: ReceiptSigner['signAll'] = ({ brandId, notificationId, subscriptionIds }, now) => {
    const notification = uuidBytes(notificationId)
    const day = dayOf(now)
    const blocks = newest.seal(notification, plainBlocks(subscriptionIds, { brandId, day }))
    const head = `${notification.toString('base64url')}.${brandId.toString(36)}.${day.toString(36)}.`
    return subscriptionIds.map(
      (_, place) => head + blocks.toString('base64url', place * BLOCK_BYTES, (place + 1) * BLOCK_BYTES),
    )
  }
  return {
    signAll,
    sign: ({ subscriptionId, ...rest }, now) =>
      signAll({ ...rest, subscriptionIds: [subscriptionId] }, now).join(''),
    open: (token, now) => {
      const named = readToken(token)
      if (named === null) return openFormer(former.open(token, now))
      const { notification, brandId, day, block } = named
      const found = all.map(({ open }) => open(notification, block)).find((plain) => isOf(plain, named))
      if (found === undefined) return null
      const age = ageOf(dayOf(now) - day, lifeDays)
      return { brandId, notificationId: uuidOf(notification), subscriptionId: found.readBigUInt64BE(), age }
    },
  }
}

const BLOCK_BYTES = 16
const ID_BYTES = 8
const UUID_BYTES = 16
const DELIVERY_BYTES = UUID_BYTES + ID_BYTES
const DELIVERY_CHARS = 32
/** The cipher for single blocks. What is encrypted never repeats, so that no chain is needed. */
const CIPHER = 'aes-256-ecb'

type BlockCiphers = {
  /** Both take whole blocks and change nothing. */
  readonly seal: (notification: Uint8Array, blocks: Uint8Array) => Buffer
  readonly open: (notification: Uint8Array, blocks: Uint8Array) => Buffer
}

/**
 * AES with the notification as the tweak of every block, as XTS does it for the sectors of a disk: the tweak is encrypted
 * with a key of its own, and added before and after. Without padding a cipher keeps nothing between two calls, so that
 * one serves for ever.
 */
function openCiphers(secret: string): BlockCiphers {
  const keys = new Uint8Array(hkdfSync('sha256', secret, '', 'beckon receipt block', 64))
  const tweak = createCipheriv(CIPHER, keys.subarray(0, 32), null).setAutoPadding(false)
  const inwards = createCipheriv(CIPHER, keys.subarray(32), null).setAutoPadding(false)
  const outwards = createDecipheriv(CIPHER, keys.subarray(32), null).setAutoPadding(false)
  const run = (cipher: Cipheriv | Decipheriv, notification: Uint8Array, blocks: Uint8Array): Buffer => {
    const mask = tweak.update(notification)
    return masked(cipher.update(masked(blocks, mask)), mask)
  }
  return {
    seal: (notification, blocks) => run(inwards, notification, blocks),
    open: (notification, blocks) => run(outwards, notification, blocks),
  }
}

function masked(blocks: Uint8Array, mask: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(blocks.length)
  for (let at = 0; at < blocks.length; at += 1) {
    bytes[at] = (blocks[at] ?? 0) ^ (mask[at % BLOCK_BYTES] ?? 0)
  }
  return bytes
}

type Check = { readonly brandId: number; readonly day: number }

function plainBlocks(ids: readonly bigint[], { brandId, day }: Check): Uint8Array {
  const bytes = new Uint8Array(ids.length * BLOCK_BYTES)
  const view = new DataView(bytes.buffer)
  for (const [place, id] of ids.entries()) {
    view.setBigUint64(place * BLOCK_BYTES, id)
    view.setUint32(place * BLOCK_BYTES + ID_BYTES, brandId)
    view.setUint32(place * BLOCK_BYTES + ID_BYTES + 4, day)
  }
  return bytes
}

/** Whether a block, opened, is one of ours. */
function isOf(plain: Buffer, { brandId, day }: Check): boolean {
  const wanted = plainBlocks([plain.readBigUInt64BE()], { brandId, day })
  return timingSafeEqual(plain, wanted)
}

type NamedToken = Check & { readonly notification: Buffer; readonly block: Buffer }

/** Tokens of the kind before have 32 letters before their first dot. */
const SHAPE = /^([\w-]{22})\.([1-9a-z][\da-z]{0,5})\.([1-9a-z][\da-z]{0,4})\.([\w-]{22})$/

function readToken(token: string): NamedToken | null {
  const [, id = '', brand = '', day = '', text = ''] = SHAPE.exec(token) ?? []
  const [notification, block] = [Buffer.from(id, 'base64url'), Buffer.from(text, 'base64url')]
  // Several texts stand for the same bytes, and only one of them is ours.
  const isExact = notification.toString('base64url') === id && block.toString('base64url') === text
  if (text === '' || !isExact) return null
  return { notification, block, brandId: Number.parseInt(brand, 36), day: Number.parseInt(day, 36) }
}

type FormerName = { readonly brandId: number; readonly id: string; readonly age: TokenAge }

function openFormer(name: FormerName | null): ReturnType<ReceiptSigner['open']> {
  if (name === null) return null
  const bytes = Buffer.from(name.id, 'base64url')
  return {
    brandId: name.brandId,
    age: name.age,
    notificationId: uuidOf(bytes.subarray(0, UUID_BYTES)),
    subscriptionId: bytes.readBigUInt64BE(UUID_BYTES),
  }
}

/** A delivery in 32 characters, the limit of the shortest field of the providers. */
export function deliveryId({ subscriptionId, ...rest }: Omit<DeliveryName, 'brandId'>): string {
  return deliveryIds({ ...rest, subscriptionIds: [subscriptionId] }).join('')
}

/** The same for many, in the order of the subscriptions. */
export function deliveryIds({
  notificationId,
  subscriptionIds,
}: Omit<DeliveryNames, 'brandId'>): readonly string[] {
  const notification = uuidBytes(notificationId)
  const bytes = Buffer.allocUnsafe(subscriptionIds.length * DELIVERY_BYTES)
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  for (const [place, id] of subscriptionIds.entries()) {
    bytes.set(notification, place * DELIVERY_BYTES)
    view.setBigUint64(place * DELIVERY_BYTES + UUID_BYTES, id)
  }
  // Three bytes are four letters, so that no id shares a letter with the next.
  const text = bytes.toString('base64url')
  return subscriptionIds.map((_, place) => text.slice(place * DELIVERY_CHARS, (place + 1) * DELIVERY_CHARS))
}

function uuidBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex')
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
