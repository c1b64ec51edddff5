import { fault } from '../../domain/fault.ts'
import { visitorName } from '../../domain/people/identifiers.ts'
import { accept, type Result } from '../../domain/result.ts'
import { flawOf } from '../../domain/values/text.ts'
import type { Warning } from '../../domain/warning.ts'
import { changePreferences, loadPreferences, type Preferences } from '../../intake/preferences/preferences.ts'
import { PREFERENCE_LINK_DAYS } from '../../rules/topics.ts'
import { loadOptOuts, type OptOutHolder } from '../../store/preferences/opt-outs.ts'
import type { Deps } from '../deps.ts'
import { parseIdentifiers } from '../people/identifiers.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { param, type TenantRequest } from '../request.ts'
import { parseBody } from '../schema/schema.ts'
import { instantOf } from '../schema/view.ts'
import {
  DEVICE_PREFERENCES_BODY,
  PERSON_BODY,
  PERSON_PREFERENCES_BODY,
  VISITOR_PREFERENCES_BODY,
} from './body.ts'
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

/** POST /api/v1/user/preferences/link: an address of this host that a person opens without a login. */
export async function makePreferenceLink(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(PERSON_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  const holder = personHolder(request, value)
  if (!holder.ok) return refuse(holder.rejection)
  const { brandId } = holder.value
  const held = await deps.database.asBrand(brandId, async (tx) => loadOptOuts(tx, holder.value))
  if (held === null) return refuse({ faults: [fault('profile_not_found')] })
  const now = deps.clock.now()
  const token = deps.preferenceLinks.sign({ brandId, profileId: held.id }, now)
  const { host, 'x-forwarded-proto': proto } = request.headers
  const url = `${proto === 'https' ? 'https' : 'http'}://${String(host)}/preferences/${token}`
  // The token names the day on which it was made, and is valid through the last one.
  const lastDay = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO('UTC').startOfDay()
  const expiresAt = lastDay.add({ days: PREFERENCE_LINK_DAYS + 1 }).epochMilliseconds
  return replySuccess({ link: { url, expires_at: instantOf(expiresAt) } }, { warnings })
}

/** POST /api/v1/visitors/preferences: reads the preferences of a page's visitor, and changes them first if it says so. */
export async function useVisitorPreferences(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseBody(VISITOR_PREFERENCES_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  const { brandId } = request.caller
  const visitor = deps.visitors.open(value.visitor, deps.clock.now())
  if (visitor === null || visitor.brandId !== brandId) {
    return refuse({ faults: [fault('visitor_invalid', 'visitor')] })
  }
  if (visitor.age === 'expired') return refuse({ faults: [fault('visitor_expired', 'visitor')] })
  const holder: OptOutHolder = { kind: 'person', brandId, who: visitorName(visitor.visitorId) }
  const { opt_outs: wanted } = value
  return wanted === undefined ? read(deps, holder) : change(deps, holder, { wanted, warnings })
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

const UNKNOWN = {
  person: 'profile_not_found',
  profile: 'profile_not_found',
  device: 'subscription_not_found',
} as const

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
