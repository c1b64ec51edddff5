/** What an endpoint can ask to be told, and when that happens. Standard Webhooks names them like this. */
export const WEBHOOK_EVENTS = {
  'notification.sent': 'Nothing of a notification is left to be sent.',
  'delivery.accepted': 'The push service took a message for one subscription.',
  'delivery.failed': 'A message for one subscription was refused for good, or ran out of time.',
  'delivery.received': 'A device showed a message.',
  'delivery.clicked': 'Somebody clicked a message, or one of its buttons.',
  'delivery.dismissed': 'Somebody put a message away.',
  'subscription.created':
    'A device can be reached that could not be before: a new one, or one that came back.',
  'subscription.gone':
    'A device cannot be reached any more: it unsubscribed, its address died, or another took its place.',
  'profile.created': 'A person became known.',
  'profile.merged': 'Two profiles turned out to be one person.',
  'profile.erased': 'A person was erased.',
  'journey.entered': 'A person entered a journey.',
  'journey.goal': 'A person reached the goal of a journey.',
  'journey.exited': 'A person left a journey.',
  'journey.called': 'A step of a journey calls this endpoint.',
} as const satisfies Record<string, string>

export type WebhookEventType = keyof typeof WEBHOOK_EVENTS
