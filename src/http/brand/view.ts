import { credentialStatusOf } from '../../domain/push/channel.ts'
import { CHANNEL_HEALTH_STATES, channelHealth } from '../../domain/push/channel-health.ts'
import { freshRefusals, type RefusedHost } from '../../domain/push/refused-host.ts'
import { REFUSED_HOSTS } from '../../rules/channels.ts'
import type { Platform } from '../../rules/platforms.ts'
import { TEAM_ROLE_NAMES } from '../../rules/team.ts'
import { QUIET_CHOICE } from '../../rules/topics.ts'
import type { ApiKey } from '../../store/brand/api-keys.ts'
import type { Brand } from '../../store/brand/brands.ts'
import type { ListedBrand } from '../../store/brand/listed-brands.ts'
import type { ChannelRecord } from '../../store/push/channels.ts'
import { Type } from '../schema/schema.ts'
import { INSTANT, INSTANT_OR_NULL, instantOf, instantOrNull } from '../schema/view.ts'
import { KEY_KIND_NAMES, QUIET_HOURS, SCOPE_NAMES } from './body.ts'

export function renderBrand(brand: Brand): object {
  return {
    brand_id: brand.externalId,
    name: brand.name,
    time_zone: brand.timeZone,
    profile_merging: brand.profileMerging,
    allowed_origins: brand.allowedOrigins,
    identity_verification: brand.identityVerification,
    frequency_cap: brand.frequencyCap,
    default_sound: brand.defaultSound,
    language: brand.language,
    control_percent: brand.controlPercent,
    quiet_hours: renderQuietHours(brand.quietHours),
    approval_above: brand.approvalAbove,
    created_at: instantOf(brand.createdAt),
  }
}

function renderQuietHours(hours: Brand['quietHours']): object | null {
  if (hours === null) return null
  const { from, until, inside } = hours
  return { from, until, [QUIET_CHOICE]: inside }
}

const BRAND_VIEW = Type.Object({
  brand_id: Type.String({ description: 'The value of x-brand-id.' }),
  name: Type.String(),
  time_zone: Type.String(),
  profile_merging: Type.Boolean(),
  allowed_origins: Type.Array(Type.String()),
  identity_verification: Type.Boolean(),
  frequency_cap: Type.Union([Type.Integer(), Type.Null()]),
  default_sound: Type.Union([Type.String(), Type.Null()]),
  language: Type.Union([Type.String(), Type.Null()]),
  control_percent: Type.Integer(),
  quiet_hours: Type.Union([QUIET_HOURS, Type.Null()]),
  approval_above: Type.Union([Type.Integer(), Type.Null()]),
  created_at: INSTANT,
})

export const BRAND_REPLY = Type.Object({ brand: BRAND_VIEW })

export const BRAND_CHANGE_REPLY = Type.Object({
  brand: BRAND_VIEW,
  detached_browsers: Type.Optional(
    Type.Integer({
      description:
        'After identity_verification was switched on: the browsers that had claimed a userID without proof.',
    }),
  ),
})

/** A brand as members and administrators choose it from a list. */
export const LISTED_BRAND = Type.Object({
  brand_id: Type.String({ description: 'The value of x-brand-id.' }),
  name: Type.String(),
  state: Type.Enum(['live', 'deleting'], {
    description: '`deleting`: the brand is stopped, and an administrator can restore it.',
  }),
  restorable_until: INSTANT_OR_NULL,
  role: Type.Union([Type.Enum([...TEAM_ROLE_NAMES]), Type.Null()], {
    description: 'Your role in the brand; null when you are an administrator without one.',
  }),
  time_zone: Type.String(),
  members: Type.Integer(),
  live_subscriptions: Type.Integer({ description: 'Devices, as counted some seconds ago.' }),
  created_at: INSTANT,
})

export function renderListedBrand(brand: ListedBrand): object {
  return {
    brand_id: brand.externalId,
    name: brand.name,
    state: brand.restorableUntil === null ? 'live' : 'deleting',
    restorable_until: instantOrNull(brand.restorableUntil),
    role: brand.role,
    time_zone: brand.timeZone,
    members: brand.members,
    live_subscriptions: brand.liveSubscriptions,
    created_at: instantOf(brand.createdAt),
  }
}

export function renderKey(key: ApiKey): object {
  return {
    id: key.id,
    kind: key.kind,
    hint: key.hint,
    scopes: key.scopes,
    label: key.label,
    created_at: instantOf(key.createdAt),
    revoked_at: instantOrNull(key.revokedAt),
  }
}

export const KEY_FIELDS = {
  id: Type.Integer(),
  kind: Type.Enum([...KEY_KIND_NAMES]),
  hint: Type.String({ description: 'The beginning of the key.' }),
  scopes: Type.Array(Type.Enum(SCOPE_NAMES)),
  label: Type.String(),
  created_at: INSTANT,
  revoked_at: INSTANT_OR_NULL,
}

export const KEY_SHOWN_ONCE = Type.Union([Type.String(), Type.Null()], {
  description: 'The key itself, shown once; null in a replay of the request.',
})

const TEXT = Type.Optional(Type.String())

export const CHANNEL_VIEW = Type.Object({
  platform: Type.String(),
  credentials: Type.Enum(['own', 'sandbox', 'none'], {
    description: '`sandbox`: the simulator of this machine is used, and no real device is reached.',
  }),
  project_id: TEXT,
  client_email: TEXT,
  key_id: TEXT,
  team_id: TEXT,
  bundle_id: TEXT,
  environment: TEXT,
  subject: TEXT,
  public_key: TEXT,
  old_public_keys: Type.Optional(Type.Array(Type.String())),
  updated_at: INSTANT_OR_NULL,
  health: Type.Object({
    state: Type.Enum([...CHANNEL_HEALTH_STATES], {
      description:
        '`partial`: some push services are reached. `failing`: no message is accepted at present, and each is tried again. `paused`: messages wait until the channel works again. `unable`: messages fail.',
    }),
    reason: Type.Union([Type.String(), Type.Null()], { description: 'Why the state is not `ok`.' }),
    since: INSTANT_OR_NULL,
    retry_at: INSTANT_OR_NULL,
    advice: Type.Union([Type.String(), Type.Null()], { description: 'The next step of whoever mends it.' }),
    refused_hosts: Type.Array(
      Type.Object({
        host: Type.String(),
        reason: Type.String(),
        since: INSTANT,
        last_at: INSTANT,
      }),
      {
        description: `Push services that turned messages away in the last week, at most ${REFUSED_HOSTS.max}.`,
      },
    ),
  }),
})

/** A channel without its secrets. What facts hold is decided where they are made. */
export function renderChannel({ platform, record, hasSandbox, now }: ShownChannel): object {
  const credentials = credentialStatusOf({ platform, version: record?.version ?? 0, hasSandbox })
  const hosts = freshRefusals(record?.refusedHosts ?? [], now)
  const health = channelHealth({ platform, credentials, troubles: record, now })
  return {
    platform,
    credentials,
    ...record?.facts,
    updated_at: record !== null && credentials === 'own' ? instantOf(record.updatedAt) : null,
    health: {
      state: health.state,
      reason: health.reason,
      since: instantOrNull(health.since),
      retry_at: instantOrNull(health.retryAt),
      advice: health.advice,
      refused_hosts: hosts.map(renderHost),
    },
  }
}

export type ShownChannel = {
  readonly platform: Platform
  readonly record: ChannelRecord | null
  /** Whether this machine has a sandbox. */
  readonly hasSandbox: boolean
  readonly now: number
}

function renderHost({ host, reason, since, at }: RefusedHost): object {
  return { host, reason, since: instantOf(since), last_at: instantOf(at) }
}

export const CHANNEL_TEST_REPLY = Type.Object({
  test: Type.Object({
    verdict: Type.Enum(['accepted', 'gone', 'refused', 'retry', 'paused', 'unknown']),
    reason: Type.Union([Type.String(), Type.Null()], {
      description: 'The reason, as the provider names it.',
    }),
  }),
})
