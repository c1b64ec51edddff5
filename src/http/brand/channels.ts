import { fault } from '../../domain/fault.ts'
import type { ChannelFacts } from '../../domain/push/channel.ts'
import { accept, type Result } from '../../domain/result.ts'
import { unreachable } from '../../domain/unreachable.ts'
import { answerBrake } from '../../intake/push/brake.ts'
import {
  changeWebCredential,
  deleteCredential,
  ensureWebCredential,
  loadWebCredential,
  saveCredential,
} from '../../intake/push/credentials.ts'
import { PLATFORM_NAMES, type Platform } from '../../rules/platforms.ts'
import { BRAKE_RULES } from '../../rules/push.ts'
import type { Db } from '../../store/db.ts'
import { type ChannelRef, loadChannel } from '../../store/push/channels.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { type ParsedBody, parseBody } from '../schema/schema.ts'
import { BRAKE_BODY, CHANNEL_TEST_BODY, type GivenWeb, parseAndroid, parseIos, parseWeb } from './body.ts'
import { renderChannel } from './view.ts'

/** GET /api/v1/brand/channels */
export async function listChannels(deps: Deps, { caller }: TenantRequest): Promise<Reply> {
  const { database, sandbox, clock } = deps
  const { brandId } = caller
  const hasSandbox = await sandbox.isPresent()
  const channels = await database.asBrand(brandId, async (tx) => {
    const shown: object[] = []
    for (const platform of PLATFORM_NAMES) {
      const record = await loadChannel(tx, { brandId, platform })
      shown.push(renderChannel({ platform, record, hasSandbox, now: clock.now() }))
    }
    return shown
  })
  return replySuccess({ channels }, { processed: channels.length })
}

/** GET /api/v1/brand/channels/{platform} */
export async function readChannel(deps: Deps, request: TenantRequest, platform: Platform): Promise<Reply> {
  const ref = { brandId: request.caller.brandId, platform }
  return deps.database.asCaller(request, async (tx) => {
    if (platform === 'web') await ensureWebCredential(deps, tx, ref.brandId)
    return replyChannel(deps, tx, ref)
  })
}

/** PUT /api/v1/brand/channels/{platform}: the credential as a whole, in place of the one before. */
export async function setChannel(deps: Deps, request: TenantRequest, platform: Platform): Promise<Reply> {
  const parsed = parseChannel(platform, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, warnings } = parsed.value
  const ref = { brandId: request.caller.brandId, platform }
  return deps.database.asCaller(request, async (tx) => {
    if (value.kind === 'web') await changeWebCredential(deps, tx, { brandId: ref.brandId, ...value })
    else await saveCredential(deps, tx, { ref, ...value })
    return replyChannel(deps, tx, ref, warnings)
  })
}

/** DELETE /api/v1/brand/channels/{platform} */
export async function removeChannel(deps: Deps, request: TenantRequest, platform: Platform): Promise<Reply> {
  const ref = { brandId: request.caller.brandId, platform }
  if (platform === 'web') {
    const detail = 'subscriptions can be reached only with the keys they were made with'
    return refuse({ faults: [fault('field_conflict', 'platform', { detail })] })
  }
  return deps.database.asCaller(request, async (tx) => {
    await deleteCredential(tx, ref)
    return replyChannel(deps, tx, ref)
  })
}

/** POST /api/v1/brand/channels/{platform}/test: nothing is stored, retired or paused by it. */
export async function testChannel(deps: Deps, request: TenantRequest, platform: Platform): Promise<Reply> {
  const parsed = parseBody(CHANNEL_TEST_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { subscription_id: subscriptionId, title = 'Test', message = 'It works.' } = parsed.value.value
  const { brandId } = request.caller
  const tested = await deps.testSend({ brandId, platform, subscriptionId, title, body: message })
  if (tested.kind === 'no_subscription') return refuse({ faults: [fault('subscription_not_found')] })
  if (tested.kind === 'no_channel') return refuse({ faults: [fault('channel_missing', null, { platform })] })
  const { verdict } = tested
  const reason = verdict.kind === 'accepted' ? null : verdict.reason
  return replySuccess({ test: { verdict: verdict.kind, reason } }, { warnings: parsed.value.warnings })
}

/** POST /api/v1/brand/channels/{platform}/brake */
export async function releaseBrake(deps: Deps, request: TenantRequest, platform: Platform): Promise<Reply> {
  const parsed = parseBody(BRAKE_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { action: kind, hours = BRAKE_RULES.restoredHours } = parsed.value.value
  const ref = { brandId: request.caller.brandId, platform }
  const action = kind === 'restore' ? { kind, withinMs: hours * 3_600_000 } : { kind }
  const restored = await deps.database.asCaller(request, async (tx) => answerBrake(deps, tx, { ref, action }))
  return replySuccess({ restored }, { processed: restored, warnings: parsed.value.warnings })
}

/** GET /api/v1/web-push-key: what a page needs to subscribe its browser. */
export async function readPushKey(deps: Deps, { caller }: TenantRequest): Promise<Reply> {
  const { keys } = await loadWebCredential(deps, caller.brandId)
  return replySuccess({ public_key: keys[0].publicKey })
}

type GivenChannel =
  | { readonly kind: 'app'; readonly credential: object; readonly facts: ChannelFacts }
  | ({ readonly kind: 'web' } & GivenWeb)

function parseChannel(platform: Platform, body: unknown): Result<ParsedBody<GivenChannel>> {
  switch (platform) {
    case 'android':
      return asKind('app', parseAndroid(body))
    case 'ios':
      return asKind('app', parseIos(body))
    case 'web':
      return asKind('web', parseWeb(body))
    default:
      return unreachable(platform)
  }
}

function asKind<const Kind extends string, Value extends object>(
  kind: Kind,
  parsed: Result<ParsedBody<Value>>,
): Result<ParsedBody<Value & { readonly kind: Kind }>> {
  if (!parsed.ok) return parsed
  return accept({ ...parsed.value, value: { ...parsed.value.value, kind } })
}

async function replyChannel(
  { sandbox, clock }: Deps,
  tx: Db,
  ref: ChannelRef,
  warnings: ParsedBody<unknown>['warnings'] = [],
): Promise<Reply> {
  const { platform } = ref
  const record = await loadChannel(tx, ref)
  const hasSandbox = await sandbox.isPresent()
  const channel = renderChannel({ platform, record, hasSandbox, now: clock.now() })
  return replySuccess({ channel }, { warnings })
}
