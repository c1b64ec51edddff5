import { meansOf } from '../domain/channel.ts'
import { CHANNEL_ADVICE } from '../rules/channels.ts'
import type { Platform } from '../rules/platforms.ts'
import type { ChannelRecord } from '../store/push/channels.ts'
import { instantOf } from './instant.ts'
import { Type } from './schema.ts'

const INSTANT = Type.Union([Type.String({ format: 'date-time' }), Type.Null()])
const TEXT = Type.Optional(Type.String())

export const CHANNEL = Type.Object({
  platform: Type.String(),
  credentials: Type.Enum(['own', 'sandbox', 'none'], {
    description: 'With `sandbox`, that of this machine stands in for them and no real device is reached.',
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
  updated_at: INSTANT,
  health: Type.Object({
    state: Type.Enum(['ok', 'paused', 'unable'], {
      description: '`paused` keeps what is sent until it works again; `unable` fails it.',
    }),
    reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it is not ok.' }),
    since: INSTANT,
    retry_at: INSTANT,
    advice: Type.Union([Type.String(), Type.Null()], { description: 'What to do about it.' }),
  }),
})

/** A channel without its secrets. What facts hold is decided where they are made. */
export function renderChannel({ platform, record, hasSandbox }: ShownChannel): object {
  const credentials = meansOf({ platform, version: record?.version ?? 0, hasSandbox })
  const { advice, ...health } = credentials === 'none' ? UNABLE : pauseOf(record)
  return {
    platform,
    credentials,
    ...record?.facts,
    updated_at: record !== null && credentials === 'own' ? instantOf(record.updatedAt) : null,
    health: { ...health, advice: advice?.replaceAll('{platform}', platform) ?? null },
  }
}

export type ShownChannel = {
  readonly platform: Platform
  readonly record: ChannelRecord | null
  /** Whether this machine has a sandbox. */
  readonly hasSandbox: boolean
}

const UNABLE = {
  state: 'unable',
  reason: 'no_credentials',
  since: null,
  retry_at: null,
  advice: CHANNEL_ADVICE.no_credentials,
} as const

function pauseOf(record: ChannelRecord | null) {
  const reason = record?.pausedReason ?? null
  return {
    state: reason === null ? 'ok' : 'paused',
    reason,
    since: whenOf(record?.pausedSince ?? null),
    retry_at: whenOf(record?.retryAt ?? null),
    advice: reason === null ? null : CHANNEL_ADVICE.paused,
  }
}

function whenOf(at: number | null): string | null {
  return at === null ? null : instantOf(at)
}
