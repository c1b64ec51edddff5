import type { InterruptionLevel, Priority } from '../../rules/platforms.ts'
import { NO_SOUND, PUSH_LIMITS } from '../../rules/push.ts'

/**
 * The content of a notification, in no provider's form. In a stored notification the title, the body and the links may
 * hold Liquid; in a `Message` they are rendered.
 */
export type Content = {
  readonly title: string
  readonly body: string
  readonly url: string | null
  readonly imageUrl: string | null
  readonly heroImageUrl: string | null
  /** At most two. A button without a link of its own has the link of the message. */
  readonly buttons: readonly MessageButton[]
  /** How long the message may wait for its device. It counts from the moment at which the message is due. */
  readonly ttlSeconds: number
  readonly priority: Priority
  readonly badge: number | null
  /** Null takes the default sound of the brand; `NO_SOUND` plays none. */
  readonly sound: string | null
  readonly category: string | null
  readonly threadId: string | null
  readonly interruptionLevel: InterruptionLevel | null
  readonly relevanceScore: number | null
  readonly androidChannel: string | null
  /** True shows nothing: the app is woken and gets the fields above as data. */
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
  category: null,
  threadId: null,
  interruptionLevel: null,
  relevanceScore: null,
  androidChannel: null,
  silent: false,
  data: {},
}

/** The content with the sound that is played: its own, or else the default of the brand. */
export function withSound(content: Content, defaultSound: string | null): Content {
  const sound = content.sound ?? (content.silent ? null : defaultSound)
  return { ...content, sound: sound === NO_SOUND ? null : sound }
}

/** Whether the device would show an empty notification. A silent notification shows nothing on purpose. */
export function saysNothing({ title, body, silent }: Content): boolean {
  return !silent && title.trim() === '' && body.trim() === ''
}

/**
 * The ttl that a provider is told when a message is handed over with so much time left. It is 0 only where the caller
 * asked for 0: then the message is for devices that are online, and Beckon may take a moment to hand it over.
 */
export function ttlLeft(ttlSeconds: number, leftMs: number): number {
  if (ttlSeconds === 0) return 0
  return Math.min(ttlSeconds, Math.max(1, Math.ceil(leftMs / 1000)))
}

export type MessageButton = { readonly title: string; readonly url: string | null }

/** The message to one device. A provider leaves out the fields that its platform cannot show. */
export type Message = Content & {
  /** The id of the delivery; receipts return it. */
  readonly deliveryId: string
  /** The caller's own id, told to the device; null when the caller gave none. */
  readonly callerNotificationId: bigint | null
  /** A message replaces an earlier one with the same id on the device. */
  readonly collapseId: string
}

/**
 * The message to one device. The caller's id is the collapse id, so that a second notification with the same id
 * replaces the first. Without it, the delivery id is, so that only a message sent twice replaces itself (decisions §3).
 */
export function messageOf(
  content: Content,
  ids: { readonly deliveryId: string; readonly callerNotificationId: bigint | null },
): Message {
  const collapseId = ids.callerNotificationId === null ? ids.deliveryId : String(ids.callerNotificationId)
  return { ...content, ...ids, collapseId }
}
