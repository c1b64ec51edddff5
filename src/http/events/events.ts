import { accept, type Result } from '../../domain/result.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import { type EventNotices, forTry } from '../../intake/events/intake.ts'
import type { Db } from '../../store/db.ts'
import type { EventCall } from '../../store/events/intake.ts'
import { retryTransaction } from '../../store/retry.ts'
import type { Deps } from '../deps.ts'
import { replyOnce } from '../idempotency.ts'
import { type Reply, refuse } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { type EventEntries, type EventSettings, parseEventBody, parseLongEventBody } from './body.ts'
import { lightEntries } from './light-entry.ts'
import { parseWithLocks } from './lock-book.ts'
import { keepRefused } from './refused-entry.ts'
import { noticeWarnings, replyEntries, unheardWarning } from './reply.ts'

/** POST /api/event */
export async function logEvents(deps: Deps, request: TenantRequest): Promise<Reply> {
  const { caller, idempotency } = request
  const { brandId, timeZone, profileMerging: isMerging } = caller
  const parsed = await parseCall(deps, request, { now: deps.clock.now(), timeZone, isMerging })
  if (!parsed.ok) return refuse(parsed.rejection)

  const { call, refused, warnings } = parsed.value
  const processed = call.entries.length
  const reply = async (notices: EventNotices, tx?: Db): Promise<Reply> => {
    const unheard = (await deps.intake.unheard(brandId, notices, tx)).map(unheardWarning)
    return replyEntries({
      processed,
      refused,
      warnings: [...warnings, ...noticeWarnings(notices), ...unheard],
    })
  }
  if (idempotency === null) return reply(await deps.intake.submit(brandId, call))
  return retryTransaction(async (which) =>
    replyOnce(deps, request, async (tx) =>
      reply(await deps.intake.storeIn(tx, brandId, forTry(which, call)), tx),
    ),
  )
}

type ParsedCall = Pick<EventEntries, 'refused' | 'warnings'> & { readonly call: EventCall }

/**
 * The call as it is stored, and what its reply tells besides. The parsed body of a call with light entries is emptied, because it would keep
 * the attributes in memory for as long as the call waits.
 */
async function parseCall(
  deps: Deps,
  request: TenantRequest,
  settings: EventSettings & { readonly isMerging: boolean },
): Promise<Result<ParsedCall>> {
  const { caller, bytes } = request
  const { isMerging } = settings
  const batch = await parseWithLocks(deps, { brandId: caller.brandId, isOfBrowser: false }, async (locks) =>
    parseInItsShare(deps, request, { ...settings, locks }),
  )
  if (!batch.ok) return batch
  const { entries, refused, warnings, isPlain } = batch.value
  const common = { rejected: refused.map(keepRefused), isMerging }
  const body = isPlain && isHandedOn(bytes) ? bytes : undefined
  const isLong = entries.length >= LIGHT_ENTRIES_MIN && bytes.length <= LIGHT_BYTES_MAX
  if (body === undefined || isMerging || !isLong)
    return accept({ call: { ...common, entries, body }, refused, warnings })
  emptyList(request.body)
  return accept({ call: { ...common, entries: lightEntries(entries, body), body }, refused, warnings })
}

/** A call with fewer entries may share a batch with another one of its size. Then the bytes of neither are stored. */
const LIGHT_ENTRIES_MIN = 501
/** The bytes of a larger call take too long to parse once more in one go: these take a few milliseconds. */
const LIGHT_BYTES_MAX = 1024 * 1024

/** The list of a parsed body is needed no more, and the body lives as long as the request. */
function emptyList(body: unknown): void {
  const list = isJsonObject(body) ? body['nv'] : undefined
  if (Array.isArray(list)) list.length = 0
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
