import type { Message } from '../domain/push/message.ts'
import type { MeasurePayload } from '../domain/push/payload.ts'
import type { Platform } from '../rules/platforms.ts'
import { PAYLOAD_ROOM } from '../rules/push.ts'
import { renderApns } from './apns/payload.ts'
import { fcmPayloadBytes, renderFcm } from './fcm/payload.ts'
import { fillTemplate, type SlotValues } from './payload-template.ts'
import { renderWebPush } from './webpush/payload.ts'

/** What each provider would be given, as JSON, with holes where the device's own secrets go. */
export const SHOW_PAYLOAD: Readonly<Record<Platform, (message: Message) => string>> = {
  android: (message) => fillTemplate(renderFcm(message), hidden(message)),
  ios: (message) => fillTemplate(renderApns(message, { bundleId: '', now: 0 }).body, hidden(message)),
  web: (message) => fillTemplate(renderWebPush(message, 'chromium'), hidden(message)),
}

/** How much of each provider's limit a message takes: what is asked before it is accepted. */
export const MEASURE_PAYLOAD: Readonly<Record<Platform, MeasurePayload>> = {
  android: (message) => fcmPayloadBytes(renderFcm(message), slotsOf(message)),
  ios: (message) => {
    const { body } = renderApns(message, { bundleId: '', now: 0 })
    return Buffer.byteLength(fillTemplate(body, slotsOf(message)))
  },
  // With the fields of the one family of browsers that shows them all.
  web: (message) => Buffer.byteLength(fillTemplate(renderWebPush(message, 'chromium'), slotsOf(message))),
}

function slotsOf({ deliveryId, collapseId }: Message): SlotValues {
  return { deliveryId, collapseId, receipt: 'x'.repeat(PAYLOAD_ROOM.receiptCharsMax), address: '' }
}

function hidden({ deliveryId, collapseId }: Message): SlotValues {
  return { deliveryId, collapseId, receipt: '…', address: '…' }
}
