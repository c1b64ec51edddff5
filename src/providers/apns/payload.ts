import { hash } from 'node:crypto'
import { appFields, present } from '../app-fields.ts'
import type { MessageContent } from '../channel.ts'
import { makeTemplate, type PayloadTemplate } from '../payload-template.ts'

/** A message for APNs: a body with slots, and the headers that all recipients share. */
export type ApnsRendering = {
  readonly body: PayloadTemplate
  readonly headers: Readonly<Record<string, string>>
}

export function renderApns(content: MessageContent, { bundleId, now }: ApnsContext): ApnsRendering {
  // `aps` comes last, so that a key of the caller's own data cannot take its place.
  const body = makeTemplate({ ...appFields(content), aps: content.silent ? WAKE : shown(content) })
  const headers = {
    'apns-topic': bundleId,
    'apns-push-type': content.silent ? 'background' : 'alert',
    // A background push of high priority is refused.
    'apns-priority': content.priority === 'high' && !content.silent ? '10' : '5',
    'apns-expiration': expiration(content.ttlSeconds, now),
  }
  return { body, headers }
}

type ApnsContext = { readonly bundleId: string; readonly now: number }

/** APNs takes 64 bytes of printable text; any other id is replaced by its hash. */
export function collapseHeader(collapseId: string): string {
  return COLLAPSE_ID.test(collapseId) ? collapseId : hash('sha256', collapseId, 'hex')
}

/**
 * The `apns-id` of a delivery: APNs wants a canonical UUID and returns it, so that a message can be found in Apple's logs.
 * The UUID is made from the delivery id, so a message that is sent again has the same one (RFC 9562, version 8). A delivery
 * id has the 16 bytes of a notification, which are a UUID themselves, and 8 of a device: no two deliveries of a notification
 * have the same sum of both. It need not be hidden, since the message has the delivery id too.
 */
export function apnsIdOf(deliveryId: string): string {
  if (ID.write(deliveryId, 'base64url') !== ID_BYTES || deliveryId.length !== ID_CHARS) {
    return uuidOf(hash('sha256', deliveryId, 'buffer'))
  }
  for (let place = 0; place < DEVICE_BYTES; place += 1) {
    const at = UUID_BYTES - DEVICE_BYTES + place
    ID[at] = (ID[at] ?? 0) ^ (ID[UUID_BYTES + place] ?? 0)
  }
  return uuidOf(ID)
}

const UUID_BYTES = 16
const DEVICE_BYTES = 8
const ID_BYTES = UUID_BYTES + DEVICE_BYTES
const ID_CHARS = 32
/** The bytes of the id that is being made. A buffer for each message would cost more than the header. */
const ID = Buffer.alloc(ID_BYTES)

function uuidOf(bytes: Buffer): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex', 0, UUID_BYTES)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const COLLAPSE_ID = /^[\x21-\x7e]{1,64}$/
const WAKE = { 'content-available': 1 }

function shown(content: MessageContent): Readonly<Record<string, unknown>> {
  return present<unknown>({
    alert: { title: content.title, body: content.body },
    badge: content.badge,
    sound: content.sound,
    category: content.category,
    'thread-id': content.threadId,
    'interruption-level': content.interruptionLevel,
    'relevance-score': content.relevanceScore,
    // Lets the app's extension report the receipt, fetch the image and add buttons before the notification is shown.
    'mutable-content': 1,
  })
}

/** An instant in seconds; 0 means: try once, keep nothing. */
function expiration(ttlSeconds: number, now: number): string {
  return ttlSeconds === 0 ? '0' : String(Math.floor(now / 1000) + ttlSeconds)
}
