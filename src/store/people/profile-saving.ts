import type { CheckedEntry, FindTypeLocks, TypeLock } from '../../domain/events/type-locks.ts'
import type { Fault } from '../../domain/fault.ts'
import { identifierNamesOf, keyOf } from '../../domain/people/identity-plan.ts'
import type { ProfileEntry } from '../../domain/people/profile-entry.ts'
import { changeProfile, type ProfileState } from '../../domain/people/profile-state.ts'
import type { AttributeType } from '../../rules/attributes.ts'
import type { Db } from '../db.ts'
import { applyTypeLocks } from '../events/type-locks.ts'
import { ProfileGone } from '../retry.ts'
import { loadIdentities, settleIdentities } from './identities.ts'
import { lockProfileStates, saveProfileStates } from './profile-states.ts'
import { ensureProfiles } from './user-profiles.ts'

export type ProfileCall = {
  readonly brandId: number
  readonly entries: readonly ProfileEntry[]
  readonly isMerging: boolean
  readonly findLocks: FindTypeLocks
  readonly now: number
}

export type SavedProfiles = {
  /** Values of another type than the locked one, by the index of the entry. */
  readonly mistyped: readonly {
    readonly index: number
    readonly attribute: string
    readonly locked: AttributeType
  }[]
  /** Values that locked an attribute to another type than browsers had sent before. */
  readonly overruled: readonly {
    readonly index: number
    readonly attribute: string
    readonly locked: AttributeType
    readonly before: AttributeType
  }[]
  /** Entries that would make their profile too large. */
  readonly refused: readonly { readonly index: number; readonly fault: Fault }[]
  /** The creation time of each entry's profile, by index. */
  readonly createdAt: ReadonlyMap<number, number>
  readonly learned: readonly TypeLock[]
}

/** Makes and changes profiles. Entries for the same person take effect in their order. */
export async function saveProfiles(tx: Db, call: ProfileCall): Promise<SavedProfiles> {
  const { brandId, now } = call
  const named = call.entries.map((entry) => ({ ...entry, name: PROFILE_LOCKS }))
  const { entries, mistyped, learned, overruled } = await applyTypeLocks(tx, { ...call, entries: named })
  const profileIds = await findProfiles(tx, call)
  const states = new Map(await lockProfileStates(tx, brandId, [...new Set(profileIds.values())]))
  const { refused, createdAt } = changeStates(states, entries, { profileIds, now })
  await saveProfileStates(tx, brandId, states)
  await dropNames(tx, call, profileIds)
  const mistypedByIndex = mistyped.flatMap(({ position, attribute, locked }) => {
    const entry = call.entries[position]
    return entry === undefined ? [] : [{ index: entry.index, attribute, locked }]
  })
  const overruledByIndex = overruled.flatMap(({ position, attribute, type: locked, before }) => {
    const entry = call.entries[position]
    return entry === undefined ? [] : [{ index: entry.index, attribute, locked, before }]
  })
  return { mistyped: mistypedByIndex, overruled: overruledByIndex, refused, createdAt, learned }
}

/** The event name of the type locks of profile attributes; no event can have it. */
const PROFILE_LOCKS = ''

/** The profile of each entry, by index; made where there is none. */
async function findProfiles(tx: Db, call: ProfileCall): Promise<ReadonlyMap<number, bigint>> {
  const { brandId, entries, isMerging, now } = call
  const people = entries.map(({ who }) => who)
  if (isMerging) await settleIdentities(tx, { brandId, people, now, createdAt: now })
  else await ensureProfiles(tx, { brandId, now, userIds: people.flatMap(({ userId }) => userId ?? []) })
  const taken = new Map(
    (await loadIdentities(tx, brandId, people)).map((name) => [keyOf(name), name.profileId]),
  )
  return new Map(
    entries.map(({ index, who }) => {
      const [profileId] = identifierNamesOf(who).flatMap((name) => taken.get(keyOf(name)) ?? [])
      if (profileId === undefined) throw new ProfileGone('a profile vanished while it was saved')
      return [index, profileId]
    }),
  )
}

type Changes = { readonly profileIds: ReadonlyMap<number, bigint>; readonly now: number }

function changeStates(
  states: Map<bigint, ProfileState>,
  entries: readonly CheckedEntry<ProfileEntry>[],
  { profileIds, now }: Changes,
): Pick<SavedProfiles, 'refused' | 'createdAt'> {
  const refused: { readonly index: number; readonly fault: Fault }[] = []
  const createdAt = new Map<number, number>()
  for (const change of entries) {
    const { index } = change.entry
    const profileId = profileIds.get(index)
    const state = profileId === undefined ? undefined : states.get(profileId)
    if (profileId === undefined || state === undefined)
      throw new ProfileGone('a profile was erased while it was saved')
    createdAt.set(index, state.createdAt)
    const changed = changeProfile(state, change, now)
    if (changed.ok) states.set(profileId, changed.value)
    else refused.push({ index, fault: changed.rejection.faults[0] })
  }
  return { refused, createdAt }
}

/** Removes identities whose email or mobile was removed from the profile. */
async function dropNames(tx: Db, call: ProfileCall, profileIds: ReadonlyMap<number, bigint>): Promise<void> {
  for (const kind of ['email', 'mobile'] as const) {
    const ids = call.entries.flatMap((entry) =>
      entry[kind] === null ? (profileIds.get(entry.index) ?? []) : [],
    )
    if (ids.length === 0) continue
    await tx.query(
      'delete from profile_identities where brand_id = $1 and kind = $2 and profile_id = any($3)',
      [call.brandId, kind, ids],
    )
  }
}
