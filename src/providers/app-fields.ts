import type { MessageContent } from './channel.ts'
import { slot } from './payload-template.ts'

/**
 * The fields that an Android or iOS app reads, flat and as strings because FCM allows nothing else. The names are those
 * of the contract, and win over a key of the caller's `data` with the same name.
 */
export function appFields(content: MessageContent): Readonly<Record<string, string>> {
  const [one, two] = content.buttons
  return {
    ...content.data,
    ...present({
      notification_id: content.callerNotificationId?.toString(),
      url: content.url,
      image_url: content.imageUrl,
      hero_image_url: content.heroImageUrl,
      button_one_title: one?.title,
      button_one_url: one?.url,
      button_two_title: two?.title,
      button_two_url: two?.url,
      // An app that is woken silently decides for itself whether to show something.
      title: content.silent ? content.title : null,
      message: content.silent ? content.body : null,
    }),
    delivery_id: slot('deliveryId'),
    receipt: slot('receipt'),
  }
}

/** The entries that have a value. A provider reads an absent key as "none", and null as a mistake. */
export function present<Value>(
  entries: Readonly<Record<string, Value | null | undefined>>,
): Readonly<Record<string, Value>> {
  const kept: Record<string, Value> = {}
  for (const [key, value] of Object.entries(entries)) {
    if (value !== null && value !== undefined) kept[key] = value
  }
  return kept
}
