import type { ArrivedMessage } from '../../domain/subscriptions/virtual-message.ts'
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
import type { Platform } from '../../rules/platforms.ts'

type Fields = Readonly<Record<string, unknown>>

/** Reads one entry of the sandbox's inbox. */
export function shownMessage(platform: Platform, { arrivedAt, collapseId, payload }: Fields): ArrivedMessage {
  const fields = objectOf(payload)
  const parts = platform === 'web' ? webParts(fields) : appParts(platform, fields)
  return { arrivedAt: Number(arrivedAt), collapseId: textOf(collapseId), ...parts }
}

type Parts = Omit<ArrivedMessage, 'arrivedAt' | 'collapseId'>

/** The fields that the service worker reads. */
function webParts(fields: JsonObject): Parts {
  const buttons = Array.isArray(fields['buttons']) ? fields['buttons'] : []
  return {
    receipt: textOf(fields['receipt']),
    title: textOf(fields['title']),
    body: textOf(fields['message']),
    url: textOf(fields['url']),
    imageUrl: textOf(fields['image_url']),
    heroImageUrl: textOf(fields['hero_image_url']),
    buttons: buttons.map(objectOf).flatMap(({ title, url }) => buttonOf(title, url)),
    isSilent: false,
  }
}

/** An app finds its fields beside `aps`, or in `data` of FCM. */
function appParts(platform: Exclude<Platform, 'web'>, payload: JsonObject): Parts {
  const fields = platform === 'android' ? objectOf(payload['data']) : payload
  const shown = platform === 'android' ? payload['notification'] : objectOf(payload['aps'])['alert']
  const { title, body } = objectOf(shown)
  return {
    receipt: textOf(fields['receipt']),
    title: textOf(title ?? fields['title']),
    body: textOf(body ?? fields['message']),
    url: textOf(fields['url']),
    imageUrl: textOf(fields['image_url']),
    heroImageUrl: textOf(fields['hero_image_url']),
    buttons: [
      ...buttonOf(fields['button_one_title'], fields['button_one_url']),
      ...buttonOf(fields['button_two_title'], fields['button_two_url']),
    ],
    isSilent: !isJsonObject(shown),
  }
}

function buttonOf(title: unknown, url: unknown): ArrivedMessage['buttons'] {
  return typeof title === 'string' ? [{ title, url: textOf(url) }] : []
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
