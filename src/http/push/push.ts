import type { Result } from '../../domain/result.ts'
import type { Warning } from '../../domain/warning.ts'
import type { Push } from '../../intake/push/plan.ts'
import { DEMO_USER } from '../../rules/brand.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import { PUSH_MODE_NAMES, PUSH_MODES } from '../../rules/push.ts'
import type { NewNotification } from '../../store/push/notifications.ts'
import type { Deps } from '../deps.ts'
import { replyOnce } from '../idempotency.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import type { Route, TenantRoute } from '../route.ts'
import { replyDryRun } from './dry-run.ts'
import type { PushAddress } from './field-rules.ts'
import { parsePush } from './parse.ts'
import { pushBodySchema } from './schema.ts'
import { ACCEPTED, renderAccepted } from './view.ts'

/** POST /api/v1/{platform}/send, …/broadcast/all and …/broadcast/segment: all nine are this. */
export async function acceptPush(deps: Deps, request: TenantRequest, address: PushAddress): Promise<Reply> {
  const parsed = parsePush(deps, request, address)
  if (!parsed.ok) return refuse(parsed.rejection)
  const push = await withCredentialWarnings(deps, parsed.value)
  if (push.draft.isDryRun) return replyDryRun(deps, push)

  const isForOne = push.draft.target.kind === 'one'
  const warnings = [...push.warnings, ...(await deps.pushWarnings.forHold())]
  const reply =
    isForOne && request.idempotency === null
      ? replyAccepted(await deps.pushes.submit(push), warnings)
      : await replyOnce(deps, request, async (tx) =>
          replyAccepted(await deps.pushes.acceptIn(tx, push), warnings),
        )
  if (reply.status === 200) deps.database.tell(isForOne ? 'send' : 'plan')
  return reply
}

async function withCredentialWarnings({ pushWarnings }: Deps, push: Push): Promise<Push> {
  const { brandId, draft, warnings } = push
  const more = await pushWarnings.forCredentials({ brandId, platform: draft.platform })
  return more.length === 0 ? push : { ...push, warnings: [...warnings, ...more] }
}

function replyAccepted(accepted: Result<NewNotification>, warnings: readonly Warning[]): Reply {
  if (!accepted.ok) return refuse(accepted.rejection)
  return replySuccess({ notification: renderAccepted(accepted.value) }, { warnings })
}

function pushRoute(address: PushAddress): TenantRoute {
  const { platform, mode } = address
  const { path, summary } = PUSH_MODES[mode]
  return {
    method: 'POST',
    path: `/api/v1/${platform}/${path}`,
    group: 'Push',
    summary: `${summary} (${PLATFORM_TITLES[platform]})`,
    scopes: ['push'],
    body: 'json',
    bodySchema: pushBodySchema(address),
    reply: ACCEPTED,
    example: EXAMPLES[mode],
    rateLimit: 'push',
    // Who is meant is counted.
    ...(mode === 'send' ? {} : { lane: 'sends' }),
    isIdempotent: true,
    refusals: REFUSALS[mode],
    handler: async (deps, request) => acceptPush(deps, request, address),
  }
}

const PLATFORM_TITLES = { android: 'Android', ios: 'iOS', web: 'Web' } as const

const EXAMPLES = {
  send: { user_id: DEMO_USER, title: 'Your order is on its way', message: 'It arrives tomorrow.' },
  all: { title: 'We are open again', message: 'Come and see what is new.' },
  segment: { segment_id: 42, title: 'For you', message: 'Thank you for a year with us.' },
} as const

const REFUSALS = {
  send: ['subscriber_not_found', 'no_live_subscription', 'identifiers_disagree', 'payload_too_large'],
  all: ['payload_too_large'],
  segment: ['segment_not_found', 'payload_too_large'],
} as const

/** Three ways to aim, on three platforms. */
export const PUSH_ROUTES: readonly Route[] = PLATFORM_NAMES.flatMap((platform) =>
  PUSH_MODE_NAMES.map((mode) => pushRoute({ platform, mode })),
)
