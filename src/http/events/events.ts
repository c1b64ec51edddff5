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

/** What a call brings. A long call whose bytes are stored is left with light entries, and nobody else has the heavy ones then. */
async function parseCall(
  deps: Deps,
  request: TenantRequest,
  settings: EventSettings & { readonly isMerging: boolean },
): Promise<Result<ParsedCall>> {
  const { brandId } = request.caller
  const { isMerging } = settings
  const batch = await parseWithLocks(deps, { brandId, isOfBrowser: false }, async (locks) =>
    parseInItsShare(deps, request, { ...settings, locks }),
  )
  if (!batch.ok) return batch
  const { entries, refused, warnings, isPlain } = batch.value
  const rejected = refused.map(keepRefused)
  const { bytes } = request
  if (!isPlain || !isHandedOn(bytes))
    return accept({ call: { entries, rejected, isMerging }, refused, warnings })
  const call = { rejected, isMerging, body: bytes }
  if (isMerging || entries.length < LIGHT_ENTRIES_MIN || bytes.length > LIGHT_BYTES_MAX)
    return accept({ call: { ...call, entries }, refused, warnings })
  emptyList(request.body)
  return accept({ call: { ...call, entries: lightEntries(entries, bytes) }, refused, warnings })
}

/** A call with fewer may share a batch with another one. The bytes of both are not stored then. */
const LIGHT_ENTRIES_MIN = 501
/** Parsing so many bytes once more takes a few milliseconds. */
const LIGHT_BYTES_MAX = 1024 * 1024

/** The parsed body lives as long as the request. Nobody looks at its list any more. */
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
