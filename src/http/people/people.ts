import { fault } from '../../domain/fault.ts'
import { unreachable } from '../../domain/unreachable.ts'
import { PROFILE_ATTRIBUTES } from '../../rules/attributes.ts'
import { PROFILE_LIMITS } from '../../rules/people.ts'
import type { Db } from '../../store/db.ts'
import { saveUserEvents } from '../../store/events/user-events.ts'
import { eraseProfiles } from '../../store/people/erasure.ts'
import { loadPerson } from '../../store/people/person.ts'
import { type SavedProfiles, saveProfiles } from '../../store/people/profile-saving.ts'
import { listMerges, undoMerge } from '../../store/people/unmerging.ts'
import { retryTransaction } from '../../store/retry.ts'
import type { Deps } from '../deps.ts'
import { parseWithLocks } from '../events/lock-book.ts'
import { keepRefused } from '../events/refused-entry.ts'
import { lockWarning, noticeWarnings, overruledWarning, replyEntries } from '../events/reply.ts'
import type { EntryList, RefusedEntry } from '../fields/entry-list.ts'
import { replyOnce } from '../idempotency.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseBody } from '../schema/schema.ts'
import {
  type NamedEntry,
  parseNamesBody,
  parseProfileBody,
  parseUserEventBody,
  UNMERGE_BODY,
} from './body.ts'

/** POST /api/v1/user/create */
export async function saveUsers(deps: Deps, request: TenantRequest): Promise<Reply> {
  const { brandId, profileMerging: isMerging } = request.caller
  const body = parseProfileBody(request.body, { isMerging })
  if (!body.ok) return refuse(body.rejection)

  const { entries } = body.value
  const findLocks = deps.intake.findLocks(brandId)
  const now = deps.clock.now()
  const save = async (tx: Db): Promise<Reply> => {
    const saved = await saveProfiles(tx, { brandId, entries, isMerging, findLocks, now })
    return renderSaved(body.value, saved, PROFILE_ATTRIBUTES.field)
  }
  return retryTransaction(async () => replyOnce(deps, request, save))
}

/** POST /api/v1/user_event/create */
export async function saveUsersAndLog(deps: Deps, request: TenantRequest): Promise<Reply> {
  const { brandId, timeZone, profileMerging: isMerging } = request.caller
  const now = deps.clock.now()
  const body = await parseWithLocks(deps, { brandId, isOfBrowser: false }, (locks) =>
    parseUserEventBody(request.body, { now, timeZone, isMerging, locks }),
  )
  if (!body.ok) return refuse(body.rejection)

  const entries = body.value.entries.map(({ profile }) => profile)
  const events = body.value.entries.map(({ event }) => event)
  const rejected = body.value.refused.map(keepRefused)
  const findLocks = deps.intake.findLocks(brandId)
  const save = async (tx: Db): Promise<Reply> => {
    const call = { brandId, entries, events, rejected, isMerging, findLocks, now }
    const { profiles, events: stored } = await saveUserEvents(tx, call)
    const list = { ...body.value, warnings: [...body.value.warnings, ...noticeWarnings(stored)] }
    return renderSaved(list, profiles, 'user_params')
  }
  return retryTransaction(async () => replyOnce(deps, request, save))
}

/** POST /api/v1/user/delete */
export async function eraseUsers(deps: Deps, request: TenantRequest): Promise<Reply> {
  const { brandId, profileMerging: isMerging } = request.caller
  const body = parseNamesBody(request.body, { isMerging })
  if (!body.ok) return refuse(body.rejection)

  const { entries, refused, warnings } = body.value
  const people = entries.map(({ who }) => who)
  const isKnown = await deps.database.asCaller(request, async (tx) =>
    eraseProfiles(tx, { brandId, people, now: deps.clock.now() }),
  )
  const unknown = entries.filter((_, place) => isKnown[place] !== true).map(unknownEntry)
  if (unknown.length === entries.length && refused.length === 0) {
    return refuse({ faults: [fault('profile_not_found')] })
  }
  const all = [...refused, ...unknown].toSorted((a, b) => a.index - b.index)
  return replyEntries({ processed: entries.length - unknown.length, refused: all, warnings })
}

/** POST /api/v1/user/unmerge: undoes one merge, or the latest one of a person. */
export async function unmergeUser(deps: Deps, request: TenantRequest): Promise<Reply> {
  const { brandId } = request.caller
  const parsed = parseBody(UNMERGE_BODY, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { userID: userId, merge_id: given } = parsed.value.value
  if (userId === undefined && given === undefined) return refuse({ faults: [NOTHING_NAMED] })
  const mergeId = given === undefined ? await latestMerge(deps, brandId, userId) : BigInt(given)
  if (mergeId === null) return refuse({ faults: [fault('merge_not_found')] })

  const outcome = await undoMerge(deps.database, { brandId, mergeId, now: deps.clock.now() }, request)
  switch (outcome) {
    case 'undone':
      return replySuccess({ merge: { merge_id: mergeId, state: 'undone' } })
    case 'not_found':
      return refuse({ faults: [fault('merge_not_found')] })
    case 'built_on':
      return refuse({ faults: [fault('merge_built_on')] })
    default:
      return unreachable(outcome)
  }
}

/** Entries that would give their profile too many attributes are found while saving; the reply lists all refusals. */
function renderSaved(
  { entries, refused, warnings }: EntryList<unknown>,
  saved: SavedProfiles,
  field: string,
): Reply {
  const locked = [
    ...saved.overruled.map((one) => overruledWarning(one, field)),
    ...saved.mistyped.map((one) => lockWarning(one, field)),
  ]
  return replyEntries({
    processed: entries.length - saved.refused.length,
    refused: [...refused, ...saved.refused].toSorted((a, b) => a.index - b.index),
    warnings: [...warnings, ...locked],
  })
}

const NOTHING_NAMED = fault('identifier_missing', 'userID', { fields: 'userID, merge_id' })

function unknownEntry({ index }: NamedEntry): Pick<RefusedEntry, 'index' | 'fault'> {
  return { index, fault: fault('profile_not_found', 'userID') }
}

async function latestMerge(deps: Deps, brandId: number, userId: string | undefined): Promise<bigint | null> {
  if (userId === undefined) return null
  return deps.database.asBrand(brandId, async (tx) => {
    const person = await loadPerson(tx, { brandId, who: { userId, email: null, mobile: null } })
    const profileId = person?.ids[0]
    if (profileId === undefined) return null
    const merges = await listMerges(tx, { brandId, profileId, limit: PROFILE_LIMITS.recordsMax })
    return merges.find(({ state }) => state !== 'undone')?.id ?? null
  })
}
