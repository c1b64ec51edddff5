import type { Priority } from '../rules/platforms.ts'

/**
 * What one device is to show, before it is put in any provider's words. Templates are rendered and lengths are
 * final here, so that a provider only translates: what a platform cannot show, its `payload.ts` leaves out.
 */
export type Message = {
  /** The delivery this is; it comes back in receipts. */
  readonly deliveryId: string
  /** The caller's own id, told to the device; null when the caller gave none. */
  readonly notificationId: bigint | null
  /** What replaces what on the device: the caller's `notification_id`, else the delivery's own id (decisions §3). */
  readonly collapseId: string
  readonly title: string
  readonly body: string
  readonly url: string | null
  readonly imageUrl: string | null
  readonly heroImageUrl: string | null
  /** At most two. A button without an address of its own already carries the message's. */
  readonly buttons: readonly MessageButton[]
  /** How long the provider may keep trying, counted from the moment of hand-over. */
  readonly ttlSeconds: number
  readonly priority: Priority
  readonly badge: number | null
  readonly sound: string | null
  readonly androidChannel: string | null
  /** Nothing is shown: the app is woken with the fields above as data. */
  readonly silent: boolean
  readonly data: Readonly<Record<string, string>>
}

export type MessageButton = { readonly title: string; readonly url: string | null }
