import type { BrowserFamily } from '../../rules/platforms.ts'
import { present } from '../app-fields.ts'
import type { MessageContent } from '../channel.ts'
import { makeTemplate, type PayloadTemplate, slot } from '../payload-template.ts'

/**
 * The fields that the service worker reads (`web/service-worker/`). Hero image and buttons are for Chromium's family only
 * (decisions §3): other browsers ignore them, and the payload is small.
 */
export function renderWebPush(content: MessageContent, family: BrowserFamily | null): PayloadTemplate {
  const isChromium = family === 'chromium'
  return makeTemplate(
    present<unknown>({
      delivery_id: slot('deliveryId'),
      receipt: slot('receipt'),
      notification_id: content.callerNotificationId?.toString(),
      tag: slot('collapseId'),
      title: content.title,
      message: content.body,
      url: content.url,
      image_url: content.imageUrl,
      hero_image_url: isChromium ? content.heroImageUrl : null,
      buttons: isChromium && content.buttons.length > 0 ? content.buttons : null,
      badge: content.badge,
      data: Object.keys(content.data).length > 0 ? content.data : null,
    }),
  )
}
