import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { isUuid } from '../../domain/values/uuid.ts'
import type { Warning } from '../../domain/warning.ts'
import { formatSecret, rotateSecrets } from '../../domain/webhooks/secrets.ts'
import { webhookUrlFlaw } from '../../domain/webhooks/url.ts'
import { WEBHOOK_RULES } from '../../rules/webhooks.ts'
import { randomBits } from '../../runtime/secrets/crypto.ts'
import type { Db } from '../../store/db.ts'
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  type EndpointRef,
  listEndpoints,
  loadEndpoint,
  loadSecrets,
  lockEndpoint,
  saveSecrets,
} from '../../store/webhooks/endpoints.ts'
import type { Deps } from '../deps.ts'
import { replyOnce } from '../idempotency.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { param, type TenantRequest } from '../request.ts'
import { parseBody, type Static } from '../schema/schema.ts'
import { membersOf } from '../schema/walk.ts'
import { WEBHOOK_CHANGE, WEBHOOK_DRAFT, WEBHOOK_ROTATION } from './body.ts'
import { renderSecrets, renderWebhookEndpoint } from './view.ts'

/** POST /api/v1/webhooks: the reply is the only place that shows the secret. */
export async function createWebhook(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(WEBHOOK_DRAFT, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  const url = checkUrl(deps, value.url)
  if (!url.ok) return refuse(url.rejection)

  const { brandId } = request.caller
  const draft = { ...draftOf(value), url: value.url, eventTypes: value.event_types }
  const { endpointsMax } = WEBHOOK_RULES
  const save = async (tx: Db): Promise<Reply> => {
    const now = deps.clock.now()
    const endpoint = await createEndpoint(tx, { ...draft, brandId, endpointsMax, now })
    if (endpoint === null)
      return refuse({ faults: [fault('too_many_webhooks', null, { max: endpointsMax })] })
    const secret = formatSecret(randomBits(WEBHOOK_RULES.secretBytes))
    const secrets = [{ secret, expiresAt: null }]
    await saveSecrets(tx, deps.sealer, { brandId, id: endpoint.id, secrets, now })
    const webhook = { ...renderWebhookEndpoint(endpoint), secrets: renderSecrets(secrets, now), secret }
    return replySuccess({ webhook }, { warnings })
  }
  return replyOnce(deps, request, save, { keep: withoutSecret })
}

/** GET /api/v1/webhooks: a brand has few, so there are no pages. */
export async function listWebhooks({ database }: Deps, { caller }: TenantRequest): Promise<Reply> {
  const endpoints = await database.asBrand(caller.brandId, async (tx) => listEndpoints(tx, caller.brandId))
  const fields = { webhooks: endpoints.map(renderWebhookEndpoint), next_cursor: null }
  return replySuccess(fields, { processed: endpoints.length })
}

/** GET /api/v1/webhooks/{id} */
export async function readWebhook(deps: Deps, request: TenantRequest): Promise<Reply> {
  return withEndpoint(deps, request, async (tx, ref) => replyEndpoint(deps, tx, ref))
}

/** PATCH /api/v1/webhooks/{id}: only what is named changes. */
export async function changeWebhook(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(WEBHOOK_CHANGE, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  const url = value.url === undefined ? accept(null) : checkUrl(deps, value.url)
  if (!url.ok) return refuse(url.rejection)

  const change = {
    url: value.url ?? null,
    description: value.description ?? null,
    eventTypes: value.event_types ?? null,
    batchMax: value.batch_max ?? null,
    isEnabled: value.enabled ?? null,
    now: deps.clock.now(),
  }
  return withEndpoint(deps, request, async (tx, ref) => {
    await changeEndpoint(tx, ref, change)
    return replyEndpoint(deps, tx, { ...ref, warnings })
  })
}

/** POST /api/v1/webhooks/{id}/rotate: the old secret signs beside the new one for a while. */
export async function rotateWebhook(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(WEBHOOK_ROTATION, request.body ?? {})
  if (!parsed.ok) return refuse(parsed.rejection)
  const { overlap_hours: hours = WEBHOOK_RULES.secretOverlapHours } = parsed.value.value

  return withEndpoint(deps, request, async (tx, ref) => {
    if (!(await lockEndpoint(tx, ref))) return refuse(NOT_FOUND)
    const now = deps.clock.now()
    const secret = formatSecret(randomBits(WEBHOOK_RULES.secretBytes))
    const before = await loadSecrets(tx, deps.sealer, ref)
    const secrets = rotateSecrets(before, { secret, now, overlapMs: hours * HOUR_MS })
    await saveSecrets(tx, deps.sealer, { ...ref, secrets, now })
    return replyEndpoint(deps, tx, { ...ref, warnings: parsed.value.warnings, shown: { secret } })
  })
}

/** DELETE /api/v1/webhooks/{id} */
export async function deleteWebhook(deps: Deps, request: TenantRequest): Promise<Reply> {
  return withEndpoint(deps, request, async (tx, ref) => {
    await deleteEndpoint(tx, ref)
    return replySuccess({})
  })
}

/** POST /api/v1/webhooks/{id}/test */
export async function tryWebhook(deps: Deps, request: TenantRequest): Promise<Reply> {
  const ref = refOf(request)
  const attempt = ref === null ? null : await deps.testWebhook(ref)
  return attempt === null ? refuse(NOT_FOUND) : replySuccess({ attempt })
}

/** Runs the work in a transaction of the brand if the endpoint in the address exists. */
export async function withEndpoint(
  { database }: Deps,
  request: TenantRequest,
  work: (tx: Db, ref: EndpointRef) => Promise<Reply>,
): Promise<Reply> {
  const ref = refOf(request)
  if (ref === null) return refuse(NOT_FOUND)
  return database.asCaller(request, async (tx) => {
    const endpoint = await loadEndpoint(tx, ref)
    return endpoint === null ? refuse(NOT_FOUND) : work(tx, ref)
  })
}

const NOT_FOUND = { faults: [fault('webhook_not_found')] } as const
const HOUR_MS = 3_600_000

function refOf(request: TenantRequest): EndpointRef | null {
  const id = param(request, 'id')
  return isUuid(id) ? { brandId: request.caller.brandId, id } : null
}

function checkUrl({ webhookHosts }: Deps, url: string): Result<null> {
  const flaw = webhookUrlFlaw(url, webhookHosts)
  return flaw === null ? accept(null) : reject(fault('field_invalid', 'url', { detail: flaw }))
}

function draftOf({ description = '', batch_max: batchMax = 1 }: Static<typeof WEBHOOK_DRAFT>) {
  return { description, batchMax }
}

type EndpointReply = EndpointRef & { readonly warnings?: readonly Warning[]; readonly shown?: object }

async function replyEndpoint(
  { sealer, clock }: Deps,
  tx: Db,
  { warnings = [], shown = {}, ...ref }: EndpointReply,
): Promise<Reply> {
  const endpoint = await loadEndpoint(tx, ref)
  if (endpoint === null) return refuse(NOT_FOUND)
  const secrets = renderSecrets(await loadSecrets(tx, sealer, ref), clock.now())
  return replySuccess({ webhook: { ...renderWebhookEndpoint(endpoint), secrets, ...shown } }, { warnings })
}

/** The reply that is stored for an Idempotency-Key: without the secret, which is shown only once. */
function withoutSecret(reply: Reply): Reply {
  const body = membersOf(reply.body)
  return { ...reply, body: { ...body, webhook: { ...membersOf(body['webhook']), secret: null } } }
}
