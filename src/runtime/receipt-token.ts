import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** One notification for one subscription of one brand. */
export type DeliveryName = {
  readonly brandId: number
  readonly notificationId: string
  readonly subscriptionId: bigint
}

/** Signs the tokens with which devices tell what became of a delivery, so that a device needs no key. */
export type ReceiptSigner = {
  readonly sign: (delivery: DeliveryName) => string
  /** The delivery that a token was made for; null for a token that we did not make. */
  readonly open: (token: string) => DeliveryName | null
}

/** `oldSecrets` are those that were replaced: devices still hold their tokens. */
export function createReceiptSigner(secret: string, oldSecrets: readonly string[] = []): ReceiptSigner {
  const newest = deriveKey(secret)
  const keys = [newest, ...oldSecrets.map(deriveKey)]
  return {
    sign: (delivery) => {
      const named = `${deliveryId(delivery)}.${delivery.brandId.toString(36)}`
      return `${named}.${macOf(newest, named).toString('base64url')}`
    },
    open: (token) => open(keys, token),
  }
}

/** A delivery in 32 characters, which is as much as the shortest of the providers' fields takes. */
export function deliveryId({ notificationId, subscriptionId }: Omit<DeliveryName, 'brandId'>): string {
  const bytes = Buffer.allocUnsafe(UUID_BYTES + 8)
  bytes.write(notificationId.replaceAll('-', ''), 'hex')
  bytes.writeBigUInt64BE(subscriptionId, UUID_BYTES)
  return bytes.toString('base64url')
}

const UUID_BYTES = 16
const MAC_BYTES = 16
const TOKEN = /^([\w-]{32})\.([\da-z]{1,7})\.([\w-]{22})$/

function deriveKey(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'beckon receipt', 32))
}

function macOf(key: Uint8Array, named: string): Buffer {
  return createHmac('sha256', key).update(named).digest().subarray(0, MAC_BYTES)
}

function open(keys: readonly Uint8Array[], token: string): DeliveryName | null {
  const [, id = '', brand = '', mac = ''] = TOKEN.exec(token) ?? []
  const given = Buffer.from(mac, 'base64url')
  if (given.length !== MAC_BYTES) return null
  const isOurs = keys.some((key) => timingSafeEqual(macOf(key, `${id}.${brand}`), given))
  return isOurs ? { brandId: Number.parseInt(brand, 36), ...namesOf(Buffer.from(id, 'base64url')) } : null
}

function namesOf(bytes: Buffer): Omit<DeliveryName, 'brandId'> {
  const hex = bytes.toString('hex', 0, UUID_BYTES)
  const notificationId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { notificationId, subscriptionId: bytes.readBigUInt64BE(UUID_BYTES) }
}
