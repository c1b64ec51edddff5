import { createNameSigner, type SignerOptions, type TokenAge } from './signed-name.ts'

/** One notification for one subscription of one brand. */
type DeliveryName = {
  readonly brandId: number
  readonly notificationId: string
  readonly subscriptionId: bigint
}

/** Signs the tokens with which devices send receipts of a delivery, so that a device needs no API key. */
export type ReceiptSigner = {
  readonly sign: (delivery: DeliveryName, now: number) => string
  /** The delivery that a token was made for; null for a token that we did not make. */
  readonly open: (token: string, now: number) => (DeliveryName & { readonly age: TokenAge }) | null
}

export function createReceiptSigner(options: SignerOptions): ReceiptSigner {
  const signer = createNameSigner({ purpose: 'beckon receipt', idChars: 32 }, options)
  return {
    sign: (delivery, now) => signer.sign({ brandId: delivery.brandId, id: deliveryId(delivery) }, now),
    open: (token, now) => {
      const name = signer.open(token, now)
      return name === null ? null : { brandId: name.brandId, age: name.age, ...namesIn(name.id) }
    },
  }
}

/** A delivery in 32 characters, the limit of the shortest field of the providers. */
export function deliveryId({ notificationId, subscriptionId }: Omit<DeliveryName, 'brandId'>): string {
  const bytes = Buffer.allocUnsafe(UUID_BYTES + 8)
  bytes.write(notificationId.replaceAll('-', ''), 'hex')
  bytes.writeBigUInt64BE(subscriptionId, UUID_BYTES)
  return bytes.toString('base64url')
}

const UUID_BYTES = 16

function namesIn(id: string): Omit<DeliveryName, 'brandId'> {
  const bytes = Buffer.from(id, 'base64url')
  const hex = bytes.toString('hex', 0, UUID_BYTES)
  const notificationId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { notificationId, subscriptionId: bytes.readBigUInt64BE(UUID_BYTES) }
}
