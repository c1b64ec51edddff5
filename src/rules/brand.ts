// Brands

/** Bounds of a brand's settings; the tables check the same lengths. */
export const BRAND_LIMITS = {
  nameCharsMax: 200,
  keyLabelCharsMax: 200,
  originCharsMax: 300,
  originsMax: 50,
  /** The largest audience that a brand may let pass without approval. */
  approvalAboveMax: 1_000_000_000,
} as const

// API keys

/** The scopes of API keys. A publishable key lives in a browser, so it can have only `track` and `subscribe`. */
export const SCOPES = {
  push: 'send, list and cancel notifications',
  events: 'log and read events',
  profiles: 'create, read, merge and erase profiles',
  subscriptions: 'register and change subscriptions',
  segments: 'create and change segments',
  journeys: 'create and run journeys',
  approve: 'consent to campaigns that need approval, and launch without asking',
  brand: 'change settings, keys, channels and webhooks',
  track: 'log events, from a browser',
  subscribe: 'register a browser',
} as const

export type Scope = keyof typeof SCOPES

export const KEY_KINDS = {
  secret: {
    prefix: 'bk_secret_',
    scopes: ['push', 'events', 'profiles', 'subscriptions', 'segments', 'journeys', 'approve', 'brand'],
  },
  publishable: { prefix: 'bk_public_', scopes: ['track', 'subscribe'] },
} as const satisfies Record<string, { readonly prefix: string; readonly scopes: readonly Scope[] }>

/** The scope that a secret key needs to make a publishable key with the named one. */
export const BROWSER_SCOPES = { track: 'events', subscribe: 'subscriptions' } as const

export type KeyKind = keyof typeof KEY_KINDS

// The demo brand

/** The id of the demo brand, and the user that its shop at `/demo` logs in. Only this brand's users are signed there. */
export const DEMO_BRAND = 'demo'
export const DEMO_SHOPPER = 'ada'

/** The user that the demo brand has from its first start, with a sandbox device. The examples in `/docs` notify this user. */
export const DEMO_USER = 'demo-user'
