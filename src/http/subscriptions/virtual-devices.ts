import { fault } from '../../domain/fault.ts'
import { flawOf } from '../../domain/values/text.ts'
import { loadWebCredential } from '../../intake/push/credentials.ts'
import {
  loadVirtualDevices,
  reportVirtual,
  saveVirtualDevice,
  type VirtualReport,
} from '../../intake/subscriptions/virtual-devices.ts'
import { PUSH_LIMITS } from '../../rules/push.ts'
import { VIRTUAL_DEVICES, VIRTUAL_KINDS, VIRTUAL_LIMITS } from '../../rules/virtual-devices.ts'
import type { ReplySubject } from '../../store/idempotency.ts'
import { removeDevices } from '../../store/subscriptions/registration-rows.ts'
import { listVirtualDevices } from '../../store/subscriptions/virtual-devices.ts'
import type { Deps } from '../deps.ts'
import { replyOnce } from '../idempotency.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { param, type TenantRequest } from '../request.ts'
import { parseBody, Type } from '../schema/schema.ts'
import { membersOf } from '../schema/walk.ts'
import { parseSubscriptionBody } from './body.ts'
import { renderVirtualDevice, renderVirtualMessage } from './virtual-view.ts'

/** POST /api/v1/virtual-devices */
export async function makeVirtualDevice(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(VIRTUAL_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { kind, user_id: userId } = parsed.value.value
  const { platform, browser, name: ownName } = VIRTUAL_DEVICES[kind]
  const { name = ownName } = parsed.value.value
  const { brandId } = request.caller
  // A browser is sent to with the brand's VAPID key, which this makes if there is none.
  if (platform === 'web') await loadWebCredential(deps, brandId)
  const device = await deps.sandbox.newDevice(platform, null)
  if (device === null) return refuse(NO_SANDBOX)
  const facts = {
    ...(userId === undefined ? {} : { user_id: userId }),
    ...(browser === null ? {} : { browser }),
  }
  const body = parseSubscriptionBody({ ...device, ...facts }, sandboxHosts(device))
  if (!body.ok) return refuse(body.rejection)
  const registration = { ...body.value.registration, virtual: { kind, name } }

  let shown: ReplySubject | null = null
  return replyOnce(
    deps,
    request,
    async (tx) => {
      const saved = await saveVirtualDevice(tx, { brandId, registration, now: deps.clock.now() })
      if (!saved.ok) return refuse(saved.rejection)
      shown = { subscriptionId: saved.value.id, profileId: saved.value.profileId }
      const view = renderVirtualDevice({ device: saved.value, messages: [] })
      return replySuccess({ virtual_device: view }, { warnings: parsed.value.warnings })
    },
    { about: () => shown },
  )
}

/** The push service of the sandbox's browsers is on loopback, where no other browser may be registered. */
function sandboxHosts(device: object): ReadonlySet<string> {
  const { endpoint } = membersOf(membersOf(device)['subscription'])
  const url = typeof endpoint === 'string' ? URL.parse(endpoint) : null
  return new Set(url === null ? [] : [url.host])
}

/** GET /api/v1/virtual-devices */
export async function listAllVirtualDevices(deps: Deps, { caller }: TenantRequest): Promise<Reply> {
  const screens = await loadVirtualDevices(deps, caller.brandId)
  if (screens === null) return refuse(NO_SANDBOX)
  return replySuccess({ virtual_devices: screens.map(renderVirtualDevice) }, { processed: screens.length })
}

/** POST /api/v1/virtual-devices/{subscription_id}/tap */
export async function tapVirtualMessage(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(TAP_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { message_id: messageId, button } = parsed.value.value
  const kinds: VirtualReport['kinds'] = [
    { kind: 'received', button: null },
    { kind: 'clicked', button: null },
    ...(button === undefined ? [] : [{ kind: 'button', button } as const]),
  ]
  return replyReport(deps, request, { messageId, kinds, warnings: parsed.value.warnings })
}

/** POST /api/v1/virtual-devices/{subscription_id}/dismiss */
export async function dismissVirtualMessage(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(DISMISS_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const kinds: VirtualReport['kinds'] = [
    { kind: 'received', button: null },
    { kind: 'dismissed', button: null },
  ]
  const { message_id: messageId } = parsed.value.value
  return replyReport(deps, request, { messageId, kinds, warnings: parsed.value.warnings })
}

type Reported = Pick<VirtualReport, 'messageId' | 'kinds'> & {
  readonly warnings: NonNullable<Parameters<typeof replySuccess>[1]>['warnings']
}

async function replyReport(deps: Deps, request: TenantRequest, reported: Reported): Promise<Reply> {
  const { messageId, kinds, warnings = [] } = reported
  const ref = { brandId: request.caller.brandId, subscriptionId: idIn(request) }
  const report = await reportVirtual(deps, { ...ref, messageId, kinds })
  if (!report.ok) return refuse(report.rejection)
  const { counted, message } = report.value
  return replySuccess({ counted, message: renderVirtualMessage(message) }, { warnings })
}

/** DELETE /api/v1/virtual-devices/{subscription_id}: works without a sandbox too, so that old ones can be removed. */
export async function deleteVirtualDevice({ database }: Deps, request: TenantRequest): Promise<Reply> {
  const { brandId } = request.caller
  return database.asCaller(request, async (tx) => {
    const [device] = await listVirtualDevices(tx, brandId, idIn(request))
    if (device === undefined) return refuse({ faults: [fault('virtual_device_not_found')] })
    await removeDevices(tx, brandId, [device.id])
    return replySuccess({})
  })
}

/** An address can hold a text that no column can; it is the id of nothing, like an empty one. */
function idIn(request: TenantRequest): string {
  const subscriptionId = param(request, 'subscription_id')
  return flawOf(subscriptionId) === null ? subscriptionId : ''
}

const NO_SANDBOX = { faults: [fault('sandbox_missing')] } as const

export const VIRTUAL_BODY = Type.Object({
  kind: Type.Enum([...VIRTUAL_KINDS], { description: 'The phone or the browser.' }),
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: VIRTUAL_LIMITS.nameCharsMax,
      description: 'The name of the device; that of its kind when absent.',
    }),
  ),
  user_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: PUSH_LIMITS.identifierCharsMax,
      description: 'The person whose device it is; nobody when absent.',
    }),
  ),
})

const MESSAGE_ID = Type.String({ maxLength: 100, description: 'The message_id of a message of the device.' })

export const TAP_BODY = Type.Object({
  message_id: MESSAGE_ID,
  button: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2,
      description: 'The button that is tapped; the message itself when absent.',
    }),
  ),
})

export const DISMISS_BODY = Type.Object({ message_id: MESSAGE_ID })
