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

/** The id of a brand, which callers send as x-brand-id. */
export const BRAND_ID_PATTERN = '^[A-Za-z0-9_.-]{1,100}$'

/** How long a brand that was deleted over HTTP is stopped and can be restored, before its rows are removed. */
export const BRAND_DELETION = { graceDays: 7 } as const

// API keys

/**
 * The scopes of API keys and of the roles of members. A publishable key lives in a browser, so it can have only `track`
 * and `subscribe`; `members` belongs to roles alone.
 */
export const SCOPES = {
  push: 'send, list and cancel notifications',
  events: 'log and read events',
  profiles: 'create, read, merge and erase profiles',
  subscriptions: 'register and change subscriptions',
  segments: 'create and change segments',
  journeys: 'create and run journeys',
  approve: 'consent to campaigns that need approval, and launch without asking',
  brand: 'change settings, keys, channels and webhooks',
  draft: 'draft campaigns, templates, snippets, segments and journeys, and ask for approval; launch nothing',
  consent: 'consent to campaigns that others ask approval for; a part of approve',
  keys: 'change keys, channels, webhooks and type locks; a part of brand',
  members: 'invite and remove members of the team; for owners, never for a key',
  'push:read': 'read what push shows',
  'events:read': 'read what events shows',
  'profiles:read': 'read what profiles shows',
  'subscriptions:read': 'read what subscriptions shows',
  'segments:read': 'read what segments shows',
  'journeys:read': 'read what journeys shows',
  'brand:read': 'read settings, keys, channels and webhooks, without secrets and messages of webhooks',
  'schema:read': 'read the names and types of events and attributes; a part of events',
  'audit:read': 'read the audit log',
  track: 'log events, from a browser',
  subscribe: 'register a browser',
} as const

export type Scope = keyof typeof SCOPES

/** The scopes that another scope includes. `x:read` is the read half of x: it opens the rows of x that change nothing. */
export const SCOPE_PARTS: Partial<Readonly<Record<Scope, readonly Scope[]>>> = {
  push: ['push:read'],
  events: ['events:read', 'schema:read'],
  profiles: ['profiles:read'],
  subscriptions: ['subscriptions:read'],
  segments: ['segments:read'],
  journeys: ['journeys:read'],
  brand: ['brand:read', 'keys'],
  approve: ['consent'],
}

/** `scopes` are those of a key that is made without naming any; `parts` are those that it can have beside them. */
export const KEY_KINDS = {
  secret: {
    prefix: 'bk_secret_',
    scopes: [
      'push',
      'events',
      'profiles',
      'subscriptions',
      'segments',
      'journeys',
      'approve',
      'brand',
      'draft',
      'audit:read',
    ],
    parts: [
      'consent',
      'keys',
      'push:read',
      'events:read',
      'profiles:read',
      'subscriptions:read',
      'segments:read',
      'journeys:read',
      'brand:read',
      'schema:read',
    ],
  },
  publishable: { prefix: 'bk_public_', scopes: ['track', 'subscribe'], parts: [] },
} as const satisfies Record<
  string,
  { readonly prefix: string; readonly scopes: readonly Scope[]; readonly parts: readonly Scope[] }
>

/** The scope that a secret key needs to make a publishable key with the named one. */
export const BROWSER_SCOPES = { track: 'events', subscribe: 'subscriptions' } as const

export type KeyKind = keyof typeof KEY_KINDS

// The demo brand

/** The id of the demo brand, and the user that its shop at `/demo` logs in. Only this brand's users are signed there. */
export const DEMO_BRAND = 'demo'
export const DEMO_SHOPPER = 'ada'

/** The user that the demo brand has from its first start, with a sandbox device. The examples in `/docs` notify this user. */
export const DEMO_USER = 'demo-user'
