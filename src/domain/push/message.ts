import type { Priority } from '../../rules/platforms.ts'
import { PUSH_LIMITS } from '../../rules/push.ts'

/**
 * What a notification says, before it is put in any provider's words. In a stored notification the title, the body
 * and the links may still hold Liquid; in a `Message` they are final.
 */
export type Content = {
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

/** A content of which nothing is set. */
export const BLANK_CONTENT: Content = {
  title: '',
  body: '',
  url: null,
  imageUrl: null,
  heroImageUrl: null,
  buttons: [],
  ttlSeconds: PUSH_LIMITS.ttlSecondsDefault,
  priority: 'high',
  badge: null,
  sound: null,
  androidChannel: null,
  silent: false,
  data: {},
}

/** Whether nothing would be seen of it: what was to be filled in was empty. A silent one is not meant to be seen. */
export function saysNothing({ title, body, silent }: Content): boolean {
  return !silent && title.trim() === '' && body.trim() === ''
}

export type MessageButton = { readonly title: string; readonly url: string | null }

/** What one device is to show. A provider only translates it: what a platform cannot show, it leaves out. */
export type Message = Content & {
  /** The delivery this is; it comes back in receipts. */
  readonly deliveryId: string
  /** The caller's own id, told to the device; null when the caller gave none. */
  readonly callerNotificationId: bigint | null
  /** What replaces what on the device. */
  readonly collapseId: string
}

/**
 * Addresses a content to one device. The caller's id is what replaces on the device, so two notifications of the same
 * id are one there; without one it is the delivery's own, so that only a repeated hand-over replaces (decisions §3).
 */
export function messageOf(
  content: Content,
  ids: { readonly deliveryId: string; readonly callerNotificationId: bigint | null },
): Message {
  const collapseId = ids.callerNotificationId === null ? ids.deliveryId : String(ids.callerNotificationId)
  return { ...content, ...ids, collapseId }
}
