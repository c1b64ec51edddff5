import { encodeJson, parseJson } from '../../domain/values/json.ts'
import { readSecrets, type WebhookSecret } from '../../domain/webhooks/secrets.ts'
import type { WebhookEventType } from '../../rules/webhooks.ts'
import type { Sealer, SealPlace } from '../../runtime/secrets/sealed.ts'
import { lockOfBrand } from '../brand/lock.ts'
import type { Db } from '../db.ts'
import { deleteSecret, loadSealedSecret, saveSecret } from '../secrets.ts'

export type EndpointRef = { readonly brandId: number; readonly id: string }

/** An address of the brand that Beckon calls when something happens. */
export type WebhookEndpoint = {
  readonly id: string
  readonly url: string
  readonly description: string
  readonly eventTypes: readonly WebhookEventType[]
  /** The most events in one call; with 1, a call has one event and no array. */
  readonly batchMax: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly disabledAt: number | null
  readonly disabledReason: 'asked' | 'gone' | 'failing' | 'secret_lost' | null
  readonly failingSince: number | null
  readonly pausedUntil: number | null
}

export type EndpointDraft = Pick<WebhookEndpoint, 'url' | 'description' | 'eventTypes' | 'batchMax'>

export type NewEndpoint = EndpointDraft & {
  readonly brandId: number
  readonly endpointsMax: number
  readonly now: number
}

/** Null when the brand has as many endpoints as it may. Two calls at once wait for each other. */
export async function createEndpoint(tx: Db, draft: NewEndpoint): Promise<WebhookEndpoint | null> {
  const { brandId, url, description, eventTypes, batchMax, now } = draft
  await lockOfBrand(tx, brandId, 'webhook endpoints')
  const { rows } = await tx.query<WebhookEndpoint>(
    `insert into webhook_endpoints (brand_id, url, description, event_types, batch_max, created_at, updated_at)
     select $1, $2, $3, $4, $5, $6, $6
     where (select count(*) from webhook_endpoints where brand_id = $1) < $7 returning ${COLUMNS}`,
    [brandId, url, description, eventTypes, batchMax, new Date(now), draft.endpointsMax],
  )
  return rows[0] ?? null
}

/** All endpoints of a brand; there are few. */
export async function listEndpoints(db: Db, brandId: number): Promise<readonly WebhookEndpoint[]> {
  const { rows } = await db.query<WebhookEndpoint>(
    `select ${COLUMNS} from webhook_endpoints where brand_id = $1 order by id`,
    [brandId],
  )
  return rows
}

export async function loadEndpoint(db: Db, { brandId, id }: EndpointRef): Promise<WebhookEndpoint | null> {
  const { rows } = await db.query<WebhookEndpoint>(
    `select ${COLUMNS} from webhook_endpoints where brand_id = $1 and id = $2`,
    [brandId, id],
  )
  return rows[0] ?? null
}

/** Which of these endpoints exist and are enabled, in the spelling of the request. */
export async function findEnabled(
  tx: Db,
  brandId: number,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const { rows } = await tx.query<{ id: string }>(
    `select wanted.id from unnest($2::text[]) as wanted (id)
     join webhook_endpoints as e on e.brand_id = $1 and e.id = wanted.id::uuid and e.disabled_at is null`,
    [brandId, ids],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Locks an endpoint until the transaction ends, for a change of its secrets; false when there is none. */
export async function lockEndpoint(tx: Db, { brandId, id }: EndpointRef): Promise<boolean> {
  const { count } = await tx.query(
    'select from webhook_endpoints where brand_id = $1 and id = $2 for update',
    [brandId, id],
  )
  return count === 1
}

/** The fields to change; null leaves one as it is. Enabling an endpoint forgets its failures and its pause. */
export type EndpointChange = { readonly [Name in keyof EndpointDraft]: EndpointDraft[Name] | null } & {
  readonly isEnabled: boolean | null
  readonly now: number
}

export async function changeEndpoint(
  tx: Db,
  { brandId, id }: EndpointRef,
  change: EndpointChange,
): Promise<WebhookEndpoint | null> {
  const { rows } = await tx.query<WebhookEndpoint>(
    `update webhook_endpoints
     set url = coalesce($3, url), description = coalesce($4, description), event_types = coalesce($5, event_types),
       batch_max = coalesce($6, batch_max), updated_at = $8,
       disabled_at = case when $7 then null when not $7 then coalesce(disabled_at, $8) else disabled_at end,
       disabled_reason = case when $7 then null when not $7 then coalesce(disabled_reason, 'asked')
         else disabled_reason end,
       failing_since = case when $7 or $3 is not null then null else failing_since end,
       paused_until = case when $7 or $3 is not null then null else paused_until end
     where brand_id = $1 and id = $2 returning ${COLUMNS}`,
    [
      brandId,
      id,
      change.url,
      change.description,
      change.eventTypes,
      change.batchMax,
      change.isEnabled,
      new Date(change.now),
    ],
  )
  return rows[0] ?? null
}

/** Deletes an endpoint. Its messages are never sent from now on, and are purged in steps. */
export async function deleteEndpoint(tx: Db, ref: EndpointRef): Promise<boolean> {
  const { count } = await tx.query('delete from webhook_endpoints where brand_id = $1 and id = $2', [
    ref.brandId,
    ref.id,
  ])
  await deleteSecret(tx, placeOf(ref))
  return count === 1
}

/** The secrets of an endpoint, newest first; empty when there is no such endpoint. */
export async function loadSecrets(
  db: Db,
  sealer: Sealer,
  ref: EndpointRef,
): Promise<readonly WebhookSecret[]> {
  const text = await loadSealedSecret(db, sealer, placeOf(ref))
  return text === null ? [] : readSecrets(parseJson(text))
}

export async function saveSecrets(
  tx: Db,
  sealer: Sealer,
  {
    secrets,
    now,
    ...ref
  }: EndpointRef & { readonly secrets: readonly WebhookSecret[]; readonly now: number },
): Promise<void> {
  await saveSecret(tx, sealer, { ...placeOf(ref), plaintext: encodeJson(secrets), now })
}

/** The endpoint whose secrets are in this row; null if the row has another kind of secret. */
export function endpointAt({ brandId, kind }: SealPlace): EndpointRef | null {
  return kind.startsWith(SECRET_KIND) ? { brandId, id: kind.slice(SECRET_KIND.length) } : null
}

/** Disables an endpoint whose secret was lost, until its owner has rotated the secret and enables it again. */
export async function disableUnsigned(tx: Db, { brandId, id }: EndpointRef, now: number): Promise<void> {
  await tx.query(
    `update webhook_endpoints set disabled_at = $3, disabled_reason = 'secret_lost', updated_at = $3
     where brand_id = $1 and id = $2`,
    [brandId, id, new Date(now)],
  )
}

function placeOf({ brandId, id }: EndpointRef): SealPlace {
  return { brandId, kind: `${SECRET_KIND}${id}` }
}

const SECRET_KIND = 'webhook '

const COLUMNS = `id, url, description, event_types as "eventTypes", batch_max as "batchMax", created_at as "createdAt",
  updated_at as "updatedAt", disabled_at as "disabledAt", disabled_reason as "disabledReason",
  failing_since as "failingSince", paused_until as "pausedUntil"`
