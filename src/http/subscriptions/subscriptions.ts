import { fault } from '../../domain/fault.ts'
import { accept, type Result } from '../../domain/result.ts'
import { changeTags, type SubscriptionChange } from '../../domain/subscriptions/subscription.ts'
import { parseInt64 } from '../../domain/values/int64.ts'
import { flawOf } from '../../domain/values/text.ts'
import type { Warning } from '../../domain/warning.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import { PUSH_LIMITS } from '../../rules/push.ts'
import { SUBSCRIPTION_STATE_NAMES } from '../../rules/subscriptions.ts'
import type { Db } from '../../store/db.ts'
import type { ReplySubject } from '../../store/idempotency.ts'
import { ensureProfiles } from '../../store/people/user-profiles.ts'
import { saveRegistrations } from '../../store/subscriptions/registrations.ts'
import {
  listSubscriptions,
  loadSubscription,
  loadSubscriptionById,
  lockTags,
  type Subscription,
  type SubscriptionKey,
  type SubscriptionUpdate,
  saveSubscription,
  unsubscribe,
} from '../../store/subscriptions/subscriptions.ts'
import type { Deps } from '../deps.ts'
import { replyOnce } from '../idempotency.ts'
import { nextCursor, PAGE_FIELDS, parseList } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { param, type TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { parseSubscriptionBody } from './body.ts'
import { parseSubscriptionChange } from './change-body.ts'
import { renderSubscription } from './view.ts'

/** POST /api/v1/subscriptions: a device says where it is reached and who uses it now. */
export async function registerDevice(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseSubscriptionBody(request.body, await deps.loadPushHosts())
  if (!parsed.ok) return refuse(parsed.rejection)
  const { registration, warnings } = parsed.value

  const { brandId } = request.caller
  let shown: ReplySubject | null = null
  const save = async (tx: Db): Promise<Reply> => {
    const batch = { brandId, registrations: [registration], now: deps.clock.now(), source: 'device' } as const
    const [outcome] = await saveRegistrations(tx, batch)
    if (outcome === undefined) throw new Error('a registration came to nothing')
    if (outcome.kind === 'refused') return refuse({ faults: [outcome.fault] })
    const subscription = await loadSubscriptionById(tx, { brandId, id: outcome.id })
    if (subscription !== null) shown = { subscriptionId: outcome.id, profileId: subscription.profileId }
    return replyWith(subscription, warnings)
  }
  return replyOnce(deps, request, save, { about: () => shown })
}

/** GET /api/v1/subscriptions */
export async function listDevices(
  { database, sandbox }: Deps,
  { caller, query }: TenantRequest,
): Promise<Reply> {
  const parsed = parseList(parseQuery(SUBSCRIPTION_QUERY, query), parseInt64)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, after, limit, warnings } = parsed.value

  const { brandId } = caller
  const { platform = null, user_id: userId = null, tag = null, state = null } = value
  // Without a sandbox nothing reaches a virtual device, and nobody wants to see it.
  const hasVirtual = await sandbox.isPresent()
  const wanted = { brandId, platform, userId, tag, state, hasVirtual, afterId: after ?? 0n, limit }
  const page = await database.asEngine(async (tx) => listSubscriptions(tx, wanted))
  const next = nextCursor(page, ({ id }) => String(id))
  const fields = { subscriptions: page.rows.map(renderSubscription), next_cursor: next }
  return replySuccess(fields, { processed: page.rows.length, warnings })
}

/** GET /api/v1/subscriptions/{subscription_id} */
export async function readDevice({ database }: Deps, request: TenantRequest): Promise<Reply> {
  const key = keyOf(request)
  return replyWith(await database.asBrand(key.brandId, async (tx) => loadSubscription(tx, key)))
}

/** PATCH /api/v1/subscriptions/{subscription_id} */
export async function changeDevice({ database, clock }: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseSubscriptionChange(request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { change, warnings } = parsed.value

  const key = { ...keyOf(request), now: clock.now() }
  return database.asBrand(key.brandId, async (tx) => {
    if ((await loadSubscription(tx, key)) === null) return refuse(NOT_FOUND)
    // The profile first and the row after it, as everywhere, so that nobody waits in a circle.
    const profile = await profileOf(tx, key, change)
    const tags = planTags(await lockTags(tx, key), change)
    if (!tags.ok) return refuse(tags.rejection)
    await saveSubscription(tx, key, { ...change.facts, ...profile, ...tags.value })
    return replyWith(await loadSubscription(tx, key), warnings)
  })
}

/** POST /api/v1/subscriptions/{subscription_id}/unsubscribe: saying it twice changes nothing. */
export async function unsubscribeDevice({ database, clock }: Deps, request: TenantRequest): Promise<Reply> {
  const key = keyOf(request)
  return database.asBrand(key.brandId, async (tx) => {
    await unsubscribe(tx, { ...key, now: clock.now(), reason: 'asked' })
    return replyWith(await loadSubscription(tx, key))
  })
}

export const SUBSCRIPTION_QUERY = Type.Object({
  ...PAGE_FIELDS,
  platform: Type.Optional(
    Type.Enum([...PLATFORM_NAMES], { description: 'Only subscriptions of this platform.' }),
  ),
  user_id: Type.Optional(
    Type.String({
      maxLength: PUSH_LIMITS.identifierCharsMax,
      description: 'Only subscriptions of this person.',
    }),
  ),
  tag: Type.Optional(
    Type.String({
      maxLength: PUSH_LIMITS.tagCharsMax,
      description: 'Only subscriptions that carry this tag themselves.',
    }),
  ),
  state: Type.Optional(
    Type.Enum([...SUBSCRIPTION_STATE_NAMES], { description: 'Only subscriptions in this state.' }),
  ),
})

const NOT_FOUND = { faults: [fault('subscription_not_found')] } as const

/** An address can hold a text that no column can; it is the id of nothing, like an empty one. */
function keyOf(request: TenantRequest): SubscriptionKey {
  const subscriptionId = param(request, 'subscription_id')
  return {
    brandId: request.caller.brandId,
    subscriptionId: flawOf(subscriptionId) === null ? subscriptionId : '',
  }
}

function replyWith(subscription: Subscription | null, warnings: readonly Warning[] = []): Reply {
  if (subscription === null) return refuse(NOT_FOUND)
  return replySuccess({ subscription: renderSubscription(subscription) }, { warnings })
}

type ProfileUpdate = Pick<SubscriptionUpdate, 'profileId'>

async function profileOf(
  tx: Db,
  { brandId, now }: SubscriptionKey & { readonly now: number },
  { userId }: SubscriptionChange,
): Promise<ProfileUpdate> {
  if (userId === undefined) return {}
  if (userId === null) return { profileId: null }
  const profiles = await ensureProfiles(tx, { brandId, userIds: [userId], now })
  const profileId = profiles.get(userId)
  return profileId === undefined ? {} : { profileId }
}

type TagUpdate = Pick<SubscriptionUpdate, 'tags'>

/** Null tags are those of a subscription that went away since it was loaded; nothing will be saved then. */
function planTags(tags: readonly string[] | null, { tags: change }: SubscriptionChange): Result<TagUpdate> {
  if (change === undefined) return accept({})
  const changed = changeTags(tags ?? [], change)
  return changed.ok ? accept({ tags: changed.value }) : changed
}
