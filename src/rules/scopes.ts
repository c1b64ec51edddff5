/** What an API key may be allowed to do. A publishable key sits in a browser, so it can do only two things. */
export const SCOPES = {
  push: 'send, list and cancel notifications',
  events: 'log and read events',
  profiles: 'create, read, merge and erase profiles',
  subscriptions: 'register and change subscriptions',
  segments: 'create and change segments',
  journeys: 'create and run journeys',
  brand: 'change settings, keys, channels and webhooks',
  track: 'log events, from a browser',
  subscribe: 'register a browser',
} as const

export type Scope = keyof typeof SCOPES

export const KEY_KINDS = {
  secret: {
    prefix: 'bk_secret_',
    scopes: ['push', 'events', 'profiles', 'subscriptions', 'segments', 'journeys', 'brand'],
  },
  publishable: { prefix: 'bk_public_', scopes: ['track', 'subscribe'] },
} as const satisfies Record<string, { readonly prefix: string; readonly scopes: readonly Scope[] }>

export type KeyKind = keyof typeof KEY_KINDS
