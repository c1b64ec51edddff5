import type { Result } from '../../domain/result.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import { type EventNotices, forTry } from '../../intake/events/intake.ts'
import type { Db } from '../../store/db.ts'
import { retryTransaction } from '../../store/retry.ts'
import type { Deps } from '../deps.ts'
import { replyOnce } from '../idempotency.ts'
import { type Reply, refuse } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { type EventEntries, type EventSettings, parseEventBody, parseLongEventBody } from './body.ts'
import { parseWithLocks } from './lock-book.ts'
import { keepRefused } from './refused-entry.ts'
import { noticeWarnings, replyEntries, unheardWarning } from './reply.ts'

/** POST /api/event */
export async function logEvents(deps: Deps, request: TenantRequest): Promise<Reply> {
  const { caller, idempotency } = request
  const { brandId, timeZone, profileMerging: isMerging } = caller
  const now = deps.clock.now()
  const batch = await parseWithLocks(deps, { brandId, isOfBrowser: false }, async (locks) =>
    parseInItsShare(deps, request, { now, timeZone, isMerging, locks }),
  )
  if (!batch.ok) return refuse(batch.rejection)

  const { entries, refused, isPlain } = batch.value
  const body = isPlain && isHandedOn(request.bytes) ? request.bytes : undefined
  const call = { entries, rejected: refused.map(keepRefused), isMerging, body }
  const reply = async (notices: EventNotices, tx?: Db): Promise<Reply> =>
    renderReply(batch.value, { ...notices, newcomers: await deps.intake.unheard(brandId, notices, tx) })
  if (idempotency === null) return reply(await deps.intake.submit(brandId, call))
  return retryTransaction(async (which) =>
    replyOnce(deps, request, async (tx) =>
      reply(await deps.intake.storeIn(tx, brandId, forTry(which, call)), tx),
    ),
  )
}

/** The checks of a long list are shared out between brands; a short list is quicker than its turn. */
async function parseInItsShare(
  { loopShare }: Deps,
  { caller, signal, body }: TenantRequest,
  settings: EventSettings,
): Promise<Result<EventEntries>> {
  const list = isJsonObject(body) ? body['nv'] : undefined
  if (!Array.isArray(list) || list.length <= SHORT_ENTRIES_MAX) return parseEventBody(body, settings)
  return loopShare.run({ key: String(caller.brandId), signal }, async (slice) =>
    parseLongEventBody(body, settings, slice),
  )
}

const SHORT_ENTRIES_MAX = 20

/** JSON.parse never sees a byte order mark, but the database would. */
function isHandedOn(bytes: Uint8Array): boolean {
  return bytes.length > 0 && bytes[0] !== 0xef
}

function renderReply({ entries, refused, warnings }: EventEntries, notices: EventNotices): Reply {
  const unheard = notices.newcomers.map(unheardWarning)
  const all = [...warnings, ...noticeWarnings(notices), ...unheard]
  return replyEntries({ processed: entries.length, refused, warnings: all })
}
