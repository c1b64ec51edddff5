/** What a subscription can be, and who makes it so. Registering again brings back a live one from any of them. */
export const SUBSCRIPTION_STATES = {
  live: 'can be pushed to',
  unsubscribed: 'the person, or the brand for them, said no',
  gone: 'the provider said that nobody is at the address any more',
} as const satisfies Record<string, string>

export type SubscriptionState = keyof typeof SUBSCRIPTION_STATES

export const SUBSCRIPTION_STATE_NAMES = [
  'live',
  'unsubscribed',
  'gone',
] as const satisfies readonly SubscriptionState[]
