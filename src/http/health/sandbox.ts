import { fault } from '../../domain/fault.ts'
import { loadWebCredential } from '../../intake/push/credentials.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import type { ReceiptSigner } from '../../runtime/secrets/receipt-token.ts'
import type { Arrival, Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import type { Route } from '../route.ts'
import { parseBody, Type } from '../schema/schema.ts'
import { INSTANT, instantOf, TEXT_OR_NULL } from '../schema/view.ts'
import { membersOf } from '../schema/walk.ts'
import { SANDBOX_FAULT_ROUTES } from './sandbox-faults.ts'

/** GET /sandbox/inbox: what arrived at the sandbox for this brand, oldest first. */
export async function readSandboxInbox(deps: Deps, { caller }: TenantRequest): Promise<Reply> {
  const arrivals = await deps.sandbox.arrivals()
  if (arrivals === null) return refuse({ faults: [fault('sandbox_missing')] })
  const own = arrivals.filter((arrival) => brandOf(deps.receipts, arrival) === caller.brandId)
  return replySuccess({ arrivals: own.map(renderArrival) }, { processed: own.length })
}

/** POST /sandbox/devices: a device that the sandbox knows, as a body for POST /api/v1/subscriptions. */
export async function makeSandboxDevice(deps: Deps, { caller, body }: TenantRequest): Promise<Reply> {
  const parsed = parseBody(DEVICE, body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { platform } = parsed.value.value
  const key = platform === 'web' ? (await loadWebCredential(deps, caller.brandId)).keys[0].publicKey : null
  const device = await deps.sandbox.newDevice(platform, key)
  if (device === null) return refuse({ faults: [fault('sandbox_missing')] })
  return replySuccess({ device }, { warnings: parsed.value.warnings })
}

const DEVICE = Type.Object({ platform: Type.Enum([...PLATFORM_NAMES]) })

/** The sandbox is one for all brands; the receipt in each message tells whose it is. */
function brandOf(receipts: ReceiptSigner, { payload, arrivedAt }: Arrival): number | null {
  const fields = membersOf(payload)
  const token = fields['receipt'] ?? membersOf(fields['data'])['receipt']
  return typeof token === 'string' ? (receipts.open(token, arrivedAt)?.brandId ?? null) : null
}

function renderArrival({ platform, address, arrivedAt, collapseId, payload }: Arrival): object {
  return { platform, address, arrived_at: instantOf(arrivedAt), collapse_id: collapseId, payload }
}

export const INBOX_ROUTE: Route = {
  group: 'Sandbox',
  method: 'GET',
  path: '/sandbox/inbox',
  scopes: ['push'],
  summary: 'Read the inbox of the sandbox',
  description:
    'The newest thousand messages, as devices would get them. It exists only if a sandbox runs: the simulator of FCM, APNs and Web Push for brands without credentials.',
  body: 'none',
  reply: Type.Object({
    arrivals: Type.Array(
      Type.Object({
        platform: Type.String(),
        address: Type.String(),
        arrived_at: INSTANT,
        collapse_id: TEXT_OR_NULL,
        payload: Type.Unknown(),
      }),
    ),
  }),
  refusals: ['sandbox_missing'],
  handler: readSandboxInbox,
}

export const SANDBOX_ROUTES: readonly Route[] = [
  INBOX_ROUTE,
  {
    group: 'Sandbox',
    method: 'POST',
    path: '/sandbox/devices',
    scopes: ['subscriptions'],
    summary: 'Create a simulated device',
    description: 'Register the reply with POST /api/v1/subscriptions; its pushes then arrive in the inbox.',
    body: 'json',
    bodySchema: DEVICE,
    reply: Type.Object({ device: Type.Unknown() }),
    example: { platform: 'web' },
    refusals: ['sandbox_missing'],
    handler: makeSandboxDevice,
  },
  ...SANDBOX_FAULT_ROUTES,
]
