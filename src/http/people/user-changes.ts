import { fault } from '../../domain/fault.ts'
import type { Identifiers } from '../../domain/people/identifiers.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { unreachable } from '../../domain/unreachable.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import { PROFILE_LIMITS } from '../../rules/people.ts'
import { eraseProfiles } from '../../store/people/erasure.ts'
import { loadPerson } from '../../store/people/person.ts'
import { undoMerge } from '../../store/people/undo-merge.ts'
import { listMerges } from '../../store/people/unmerging.ts'
import type { Deps } from '../deps.ts'
import { replyEntries } from '../events/reply.ts'
import { EVENT_REPLY_SCHEMA } from '../events/schema.ts'
import { type ParsedEntry, parseEntryList, type RefusedEntry } from '../fields/entry-list.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import type { Route } from '../route.ts'
import { parseBody, Type } from '../schema/schema.ts'
import { parseIdentifiers } from './identifiers.ts'
import { NAMES_BODY_SCHEMA } from './schema.ts'

/** POST /api/v1/user/delete */
export async function eraseUsers(deps: Deps, request: TenantRequest): Promise<Reply> {
  const { brandId, profileMerging: isMerging } = request.caller
  const body = parseEntryList(request.body, PROFILE_LIMITS.entriesMax, (given, index) =>
    parseName(given, index, isMerging),
  )
  if (!body.ok) return refuse(body.rejection)

  const { entries, refused, warnings } = body.value
  const people = entries.map(({ who }) => who)
  const isKnown = await deps.database.asBrand(brandId, async (tx) =>
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
  const parsed = parseBody(UNMERGE, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { userID: userId, merge_id: given } = parsed.value.value
  if (userId === undefined && given === undefined) return refuse({ faults: [NOTHING_NAMED] })
  const mergeId = given === undefined ? await latestMerge(deps, brandId, userId) : BigInt(given)
  if (mergeId === null) return refuse({ faults: [fault('merge_not_found')] })

  const outcome = await undoMerge(deps.database, { brandId, mergeId, now: deps.clock.now() })
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

const NOTHING_NAMED = fault('identifier_missing', 'userID', { fields: 'userID, merge_id' })

type NamedEntry = { readonly index: number; readonly who: Identifiers }

function parseName(given: unknown, index: number, isMerging: boolean): Result<ParsedEntry<NamedEntry>> {
  if (!isJsonObject(given)) return reject(fault('field_type', `nv[${index}]`, { expected: 'an object' }))
  const who = parseIdentifiers(given, { isMerging })
  return who.ok ? accept({ entry: { index, who: who.value }, warnings: [] }) : who
}

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

const UNMERGE = Type.Object({
  userID: Type.Optional(
    Type.String({
      maxLength: PROFILE_LIMITS.userIdCharsMax,
      description: 'Undoes the latest merge of this person.',
    }),
  ),
  merge_id: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Undoes this merge; userData lists them.' }),
  ),
})

export const USER_CHANGE_ROUTES: readonly Route[] = [
  {
    group: 'Profiles',
    scopes: ['profiles'],
    method: 'POST',
    path: '/api/v1/user/delete',
    summary: `Erases up to ${PROFILE_LIMITS.entriesMax} people`,
    description:
      'Profiles, names, devices and what waits to be sent to them are gone with the reply; events and the rest follow within moments. A later event for the same name makes a new profile.',
    body: 'json',
    bodySchema: NAMES_BODY_SCHEMA,
    example: { nv: [{ userID: 'user-1' }] },
    reply: EVENT_REPLY_SCHEMA,
    refusals: ['parameter_missing', 'too_many_entries', 'profile_not_found'],
    handler: eraseUsers,
  },
  {
    group: 'Profiles',
    scopes: ['profiles'],
    method: 'POST',
    path: '/api/v1/user/unmerge',
    summary: 'Undoes a merge of two profiles',
    description: 'What the merge moved goes back; what was written since then stays with the survivor.',
    body: 'json',
    bodySchema: UNMERGE,
    example: { userID: 'user-1' },
    reply: Type.Object({ merge: Type.Object({ merge_id: Type.Integer(), state: Type.String() }) }),
    refusals: ['identifier_missing', 'merge_not_found', 'merge_built_on'],
    handler: unmergeUser,
  },
]
