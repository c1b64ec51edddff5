import { appFields, present } from '../app-fields.ts'
import type { MessageContent } from '../channel.ts'
import {
  fillTemplate,
  makeTemplate,
  type PayloadTemplate,
  type SlotValues,
  slot,
} from '../payload-template.ts'

/** The body of `messages:send`, with slots for the device. A silent message has data and nothing to show. */
export function renderFcm(content: MessageContent): PayloadTemplate {
  return makeTemplate({
    message: {
      token: slot('address'),
      ...(content.silent ? {} : { notification: shown(content) }),
      data: appFields(content),
      android: {
        ttl: `${Math.min(content.ttlSeconds, TTL_SECONDS_MAX)}s`,
        priority: content.priority === 'high' ? 'HIGH' : 'NORMAL',
        ...(content.silent ? {} : { notification: androidOptions(content) }),
      },
    },
  })
}

/**
 * How much of FCM's limit a message uses. FCM does not document how it counts. This counts everything but the token, so
 * that a message which is short enough here is short enough there.
 */
export function fcmPayloadBytes(template: PayloadTemplate, values: SlotValues): number {
  return Buffer.byteLength(fillTemplate(template, { ...values, address: '' })) - ENVELOPE_BYTES
}

/** The JSON around the message and its token; two braces belong to the message. */
const ENVELOPE_BYTES = '{"message":{"token":"",}}'.length - 2
const TTL_SECONDS_MAX = 2_419_200

function shown({ title, body, imageUrl }: MessageContent): Readonly<Record<string, string>> {
  return present({ title, body, image: imageUrl })
}

/**
 * `tag` replaces a notification on the device with the same tag. It is not `collapse_key`: of these, FCM keeps only four
 * for a device that is offline, and drops the rest (decisions §3).
 */
function androidOptions(content: MessageContent): Readonly<Record<string, string | number>> {
  return present<string | number>({
    tag: slot('collapseId'),
    channel_id: content.androidChannel,
    sound: content.sound,
    notification_count: content.badge,
  })
}
