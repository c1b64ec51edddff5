import type { VirtualMessage, VirtualScreen } from '../../intake/subscriptions/virtual-devices.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import { SUBSCRIPTION_STATE_NAMES } from '../../rules/subscriptions.ts'
import { VIRTUAL_KINDS, VIRTUAL_MESSAGE_STATES } from '../../rules/virtual-devices.ts'
import { Type } from '../schema/schema.ts'
import { INSTANT, INSTANT_OR_NULL, instantOf, instantOrNull, TEXT_OR_NULL } from '../schema/view.ts'

/** A virtual device as replies show it. */
export function renderVirtualDevice({ device, messages }: VirtualScreen): object {
  return {
    subscription_id: device.subscriptionId,
    kind: device.kind,
    name: device.name,
    platform: device.platform,
    user_id: device.userId,
    state: device.state,
    created_at: instantOf(device.createdAt),
    messages: messages.map(renderVirtualMessage),
  }
}

export function renderVirtualMessage(message: VirtualMessage): object {
  return {
    message_id: message.notificationId,
    title: message.title,
    message: message.body,
    url: message.url,
    image_url: message.imageUrl,
    hero_image_url: message.heroImageUrl,
    buttons: message.buttons,
    is_silent: message.isSilent,
    arrived_at: instantOf(message.arrivedAt),
    state: message.state,
    shown_at: instantOrNull(message.shownAt),
    clicked_at: instantOrNull(message.clickedAt),
    dismissed_at: instantOrNull(message.dismissedAt),
    button: message.button,
  }
}

export const VIRTUAL_MESSAGE_VIEW = Type.Object({
  message_id: Type.String({ description: 'The id of the notification that the message belongs to.' }),
  title: TEXT_OR_NULL,
  message: TEXT_OR_NULL,
  url: Type.Union([Type.String(), Type.Null()], { description: 'The link that a tap opens.' }),
  image_url: TEXT_OR_NULL,
  hero_image_url: TEXT_OR_NULL,
  buttons: Type.Array(Type.Object({ title: Type.String(), url: TEXT_OR_NULL })),
  is_silent: Type.Boolean({ description: 'Whether the app gets the message and shows nothing.' }),
  arrived_at: INSTANT,
  state: Type.Enum([...VIRTUAL_MESSAGE_STATES], {
    description: 'A message has arrived, and is shown as soon as the device has reported that.',
  }),
  shown_at: INSTANT_OR_NULL,
  clicked_at: INSTANT_OR_NULL,
  dismissed_at: INSTANT_OR_NULL,
  button: Type.Union([Type.Integer(), Type.Null()], { description: 'The button that was tapped, 1 or 2.' }),
})

export const VIRTUAL_DEVICE_VIEW = Type.Object({
  subscription_id: Type.String(),
  kind: Type.Enum([...VIRTUAL_KINDS]),
  name: Type.String(),
  platform: Type.Enum([...PLATFORM_NAMES]),
  user_id: TEXT_OR_NULL,
  state: Type.Enum([...SUBSCRIPTION_STATE_NAMES]),
  created_at: INSTANT,
  messages: Type.Array(VIRTUAL_MESSAGE_VIEW, { description: 'The newest messages, newest first.' }),
})
