import type { Message } from '../domain/push/message.ts'
import type { MeasurePayload, RenderPayload } from '../domain/push/payload.ts'
import { parseJson } from '../domain/values/json.ts'
import type { Platform } from '../rules/platforms.ts'
import { PAYLOAD_ROOM } from '../rules/push.ts'
import { renderApns } from './apns/payload.ts'
import { fcmPayloadBytes, renderFcm } from './fcm/payload.ts'
import { fillTemplate, type SlotValues } from './payload-template.ts'
import { renderWebPush } from './webpush/payload.ts'

/** A message as the provider of its platform gets it, and its size. */
export const renderPayload: RenderPayload = (platform, message) => ({
  bytes: MEASURE_PAYLOAD[platform](message),
  show: () => parseJson(SHOW_PAYLOAD[platform](message)),
})

/** The JSON that each provider gets, with `…` in place of the device's secrets. */
const SHOW_PAYLOAD: Readonly<Record<Platform, (message: Message) => string>> = {
  android: (message) => fillTemplate(renderFcm(message), hidden(message)),
  ios: (message) => fillTemplate(renderApns(message, { bundleId: '', now: 0 }).body, hidden(message)),
  web: (message) => fillTemplate(renderWebPush(message, 'chromium'), hidden(message)),
}

/** How much of each provider's limit a message takes. It is checked before a notification is accepted. */
export const MEASURE_PAYLOAD: Readonly<Record<Platform, MeasurePayload>> = {
  android: (message) => fcmPayloadBytes(renderFcm(message), slotsOf(message)),
  ios: (message) => {
    const { body } = renderApns(message, { bundleId: '', now: 0 })
    return Buffer.byteLength(fillTemplate(body, slotsOf(message)))
  },
  // Chromium's family of browsers is the only one that gets every field.
  web: (message) => Buffer.byteLength(fillTemplate(renderWebPush(message, 'chromium'), slotsOf(message))),
}

function slotsOf({ deliveryId, collapseId }: Message): SlotValues {
  return { deliveryId, collapseId, receipt: 'x'.repeat(PAYLOAD_ROOM.receiptCharsMax), address: '' }
}

function hidden({ deliveryId, collapseId }: Message): SlotValues {
  return { deliveryId, collapseId, receipt: '…', address: '…' }
}
