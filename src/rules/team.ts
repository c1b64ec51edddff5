import { KEY_KINDS, type Scope } from './brand.ts'

const READS = [
  'push:read',
  'events:read',
  'profiles:read',
  'subscriptions:read',
  'segments:read',
  'journeys:read',
  'brand:read',
] as const

/** The roles of a member in a brand. `mints`: scopes that the role may give a new key although it lacks them itself. */
export const TEAM_ROLES = {
  owner: {
    summary: 'may do everything, and decides who is in the team',
    scopes: [...KEY_KINDS.secret.scopes, 'members'],
    mints: [],
  },
  editor: {
    summary: 'writes and sends, and consents to what others ask for',
    scopes: [
      'push',
      'profiles',
      'subscriptions',
      'segments',
      'journeys',
      'draft',
      'consent',
      'events:read',
      'brand:read',
    ],
    mints: [],
  },
  author: {
    summary: 'drafts, and asks others to send',
    scopes: ['draft', ...READS],
    mints: [],
  },
  analyst: { summary: 'reads', scopes: READS, mints: [] },
  developer: {
    summary: 'keys, webhooks, channels and type locks; no personal data',
    scopes: ['keys', 'brand:read', 'schema:read'],
    mints: ['push', 'events'],
  },
} as const satisfies Record<
  string,
  { readonly summary: string; readonly scopes: readonly Scope[]; readonly mints: readonly Scope[] }
>

/** Administrators look after the instance. It is a mark of the member, and gives no role in a brand. */
export const ADMINISTRATOR = {
  summary:
    'makes brands, lists all of them, changes their settings, deletes and restores them; reads nothing inside a brand without a role there',
} as const

export type TeamRole = keyof typeof TEAM_ROLES

export const TEAM_ROLE_NAMES = [
  'owner',
  'editor',
  'author',
  'analyst',
  'developer',
] as const satisfies readonly TeamRole[]
