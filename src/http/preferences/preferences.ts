import { fault } from '../../domain/fault.ts'
import { accept, type Result } from '../../domain/result.ts'
import { flawOf } from '../../domain/values/text.ts'
import type { Warning } from '../../domain/warning.ts'
import { changePreferences, loadPreferences, type Preferences } from '../../intake/preferences/preferences.ts'
import type { OptOutHolder } from '../../store/preferences/opt-outs.ts'
import type { Deps } from '../deps.ts'
import { parseIdentifiers } from '../people/identifiers.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { param, type TenantRequest } from '../request.ts'
import { parseBody } from '../schema/schema.ts'
import { DEVICE_PREFERENCES_BODY, PERSON_PREFERENCES_BODY } from './body.ts'
import { renderPreferences } from './view.ts'

/** GET /api/v1/user/preferences */
export async function readPersonPreferences(deps: Deps, request: TenantRequest): Promise<Reply> {
  const holder = personHolder(request, Object.fromEntries(request.query))
  return holder.ok ? read(deps, holder.value) : refuse(holder.rejection)
}

/** PUT /api/v1/user/preferences */
export async function changePersonPreferences(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(PERSON_PREFERENCES_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  const { opt_outs: wanted, ...names } = value
  const holder = personHolder(request, names)
  return holder.ok ? change(deps, holder.value, { wanted, warnings }) : refuse(holder.rejection)
}

/** GET /api/v1/subscriptions/{subscription_id}/preferences */
export async function readDevicePreferences(deps: Deps, request: TenantRequest): Promise<Reply> {
  return read(deps, deviceHolder(request))
}

/** PUT /api/v1/subscriptions/{subscription_id}/preferences */
export async function changeDevicePreferences(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(DEVICE_PREFERENCES_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  return change(deps, deviceHolder(request), { wanted: value.opt_outs, warnings })
}

async function read({ database }: Deps, holder: OptOutHolder): Promise<Reply> {
  const preferences = await database.asBrand(holder.brandId, async (tx) => loadPreferences(tx, holder))
  return replyWith(holder, preferences)
}

type Change = { readonly wanted: readonly string[]; readonly warnings: readonly Warning[] }

async function change(
  { database, clock }: Deps,
  holder: OptOutHolder,
  { wanted, warnings }: Change,
): Promise<Reply> {
  const changed = await database.asBrand(holder.brandId, async (tx) =>
    changePreferences(tx, holder, { wanted, now: clock.now() }),
  )
  return changed.ok ? replyWith(holder, changed.value, warnings) : refuse(changed.rejection)
}

function replyWith(
  { kind }: OptOutHolder,
  preferences: Preferences | null,
  warnings: readonly Warning[] = [],
): Reply {
  if (preferences === null) return refuse({ faults: [fault(UNKNOWN[kind])] })
  return replySuccess({ preferences: renderPreferences(preferences) }, { warnings })
}

const UNKNOWN = { person: 'profile_not_found', device: 'subscription_not_found' } as const

function personHolder(
  { caller: { brandId, profileMerging: isMerging } }: TenantRequest,
  names: Readonly<Record<string, unknown>>,
): Result<OptOutHolder> {
  const who = parseIdentifiers(names, { isMerging })
  return who.ok ? accept({ kind: 'person', brandId, who: who.value }) : who
}

/** An address can hold a text that no column can; it is the id of nothing, like an empty one. */
function deviceHolder(request: TenantRequest): OptOutHolder {
  const subscriptionId = param(request, 'subscription_id')
  const { brandId } = request.caller
  return { kind: 'device', brandId, subscriptionId: flawOf(subscriptionId) === null ? subscriptionId : '' }
}
