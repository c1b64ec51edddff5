import { WEBHOOK_RULES } from '../../rules/webhooks.ts'
import { isJsonObject } from '../values/json.ts'

/** A secret of an endpoint; one that a newer replaced signs until `expiresAt`. The newest comes first. */
export type WebhookSecret = { readonly secret: string; readonly expiresAt: number | null }

/** The form of secrets in Standard Webhooks. */
export function formatSecret(bytes: Uint8Array): string {
  return `whsec_${Buffer.from(bytes).toString('base64')}`
}

type Rotation = { readonly secret: string; readonly now: number; readonly overlapMs: number }

/** The new secret, and the older ones that still sign. */
export function rotateSecrets(
  secrets: readonly WebhookSecret[],
  { secret, now, overlapMs }: Rotation,
): readonly WebhookSecret[] {
  const until = now + overlapMs
  const older = liveSecrets(secrets, now)
    .map((old) => ({ ...old, expiresAt: Math.min(old.expiresAt ?? until, until) }))
    .filter(({ expiresAt }) => expiresAt > now)
  return [{ secret, expiresAt: null }, ...older].slice(0, WEBHOOK_RULES.secretsMax)
}

export function liveSecrets(secrets: readonly WebhookSecret[], now: number): readonly WebhookSecret[] {
  return secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
}

/** Reads the secrets that are stored sealed in the database. */
export function readSecrets(value: unknown): readonly WebhookSecret[] {
  const rows: readonly unknown[] = Array.isArray(value) ? value : []
  return rows.flatMap((row) => {
    if (!isJsonObject(row) || typeof row['secret'] !== 'string') return []
    const expiresAt = row['expiresAt']
    return [{ secret: row['secret'], expiresAt: typeof expiresAt === 'number' ? expiresAt : null }]
  })
}
