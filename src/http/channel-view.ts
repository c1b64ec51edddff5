import type { Platform } from '../rules/platforms.ts'
import type { ChannelRecord } from '../store/push/channels.ts'
import { instantOf } from './instant.ts'
import { Type } from './schema.ts'

const INSTANT = Type.Union([Type.String({ format: 'date-time' }), Type.Null()])
const TEXT = Type.Optional(Type.String())

export const CHANNEL = Type.Object({
  platform: Type.String(),
  credentials: Type.Enum(['own', 'none'], {
    description: 'Without its own, a brand is sent to the sandbox if this machine runs one.',
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
    state: Type.Enum(['ok', 'paused']),
    reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it is paused.' }),
    since: INSTANT,
    retry_at: INSTANT,
  }),
})

/** A channel without its secrets. What facts hold is decided where they are made. */
export function renderChannel(platform: Platform, record: ChannelRecord | null): object {
  const isOwn = record !== null && record.version > 0
  return {
    platform,
    credentials: isOwn ? 'own' : 'none',
    ...record?.facts,
    updated_at: isOwn ? instantOf(record.updatedAt) : null,
    health: {
      state: (record?.pausedReason ?? null) === null ? 'ok' : 'paused',
      reason: record?.pausedReason ?? null,
      since: whenOf(record?.pausedSince ?? null),
      retry_at: whenOf(record?.retryAt ?? null),
    },
  }
}

function whenOf(at: number | null): string | null {
  return at === null ? null : instantOf(at)
}
