import { PROFILE_ATTRIBUTES } from '../../rules/attributes.ts'
import { PROFILE_LIMITS } from '../../rules/people.ts'
import type { Db } from '../../store/db.ts'
import { saveUserEvents } from '../../store/events/user-events.ts'
import { type SavedProfiles, saveProfiles } from '../../store/people/profile-saving.ts'
import { tryAgain } from '../../store/try-again.ts'
import type { Deps } from '../deps.ts'
import { keepRefused } from '../events/refused-entry.ts'
import { lockWarning, replyEntries } from '../events/reply.ts'
import { EVENT_REPLY_SCHEMA } from '../events/schema.ts'
import type { EntryList } from '../fields/entry-list.ts'
import { replyOnce } from '../idempotency.ts'
import { type Reply, refuse } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import type { Route } from '../route.ts'
import { parseProfileBody } from './profile-entry.ts'
import { PROFILE_BODY_EXAMPLE, PROFILE_BODY_SCHEMA, USER_EVENT_EXAMPLE, USER_EVENT_SCHEMA } from './schema.ts'
import { parseUserEventBody } from './user-event-body.ts'

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
  return tryAgain(async () => replyOnce(deps, request, save))
}

/** POST /api/v1/user_event/create */
export async function saveUsersAndLog(deps: Deps, request: TenantRequest): Promise<Reply> {
  const { brandId, timeZone, profileMerging: isMerging } = request.caller
  const now = deps.clock.now()
  const body = parseUserEventBody(request.body, { now, timeZone, isMerging })
  if (!body.ok) return refuse(body.rejection)

  const entries = body.value.entries.map(({ profile }) => profile)
  const events = body.value.entries.map(({ event }) => event)
  const rejected = body.value.refused.map(keepRefused)
  const findLocks = deps.intake.findLocks(brandId)
  const save = async (tx: Db): Promise<Reply> => {
    const call = { brandId, entries, events, rejected, isMerging, findLocks, now }
    const { profiles, events: stored } = await saveUserEvents(tx, call)
    const locked = stored.mistyped.map((one) => lockWarning(one))
    const list = { ...body.value, warnings: [...body.value.warnings, ...locked] }
    return renderSaved(list, profiles, 'user_params')
  }
  return tryAgain(async () => replyOnce(deps, request, save))
}

/** Entries that turned out to be too much for their profile are listed with those that were refused at once. */
function renderSaved(
  { entries, refused, warnings }: EntryList<unknown>,
  saved: SavedProfiles,
  field: string,
): Reply {
  const locked = saved.mistyped.map((one) => lockWarning(one, field))
  return replyEntries({
    processed: entries.length - saved.refused.length,
    refused: [...refused, ...saved.refused].toSorted((a, b) => a.index - b.index),
    warnings: [...warnings, ...locked],
  })
}

const USER = { group: 'Profiles', scopes: ['profiles'], reply: EVENT_REPLY_SCHEMA } as const

export const USER_ROUTES: readonly Route[] = [
  {
    ...USER,
    method: 'POST',
    path: '/api/v1/user/create',
    summary: `Makes or changes up to ${PROFILE_LIMITS.entriesMax} profiles`,
    description: 'Attributes merge key by key; null takes one away.',
    body: 'json',
    isIdempotent: true,
    bodySchema: PROFILE_BODY_SCHEMA,
    example: PROFILE_BODY_EXAMPLE,
    refusals: ['parameter_missing', 'too_many_entries'],
    handler: saveUsers,
  },
  {
    ...USER,
    method: 'POST',
    path: '/api/v1/user_event/create',
    summary: 'Makes or changes a profile, then logs an event of it',
    description: 'The profile comes first, so the event is never before it and can start a journey.',
    scopes: ['profiles'],
    body: 'json',
    isIdempotent: true,
    bodySchema: USER_EVENT_SCHEMA,
    example: USER_EVENT_EXAMPLE,
    refusals: ['parameter_missing', 'too_many_entries'],
    handler: saveUsersAndLog,
  },
]
