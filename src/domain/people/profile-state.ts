import { PROFILE_ATTRIBUTES } from '../../rules/attributes.ts'
import type { CheckedEntry } from '../events/type-locks.ts'
import { type Fault, fault } from '../fault.ts'
import { joinOptOuts, type OptOuts } from '../preferences/opt-outs.ts'
import { accept, type Result, reject } from '../result.ts'
import { changeTags } from '../subscriptions/subscription.ts'
import type { JsonObject } from '../values/json.ts'
import type { ProfileEntry } from './profile-entry.ts'

/** The stored fields of a profile. Its identifiers and events stand in other tables. */
export type ProfileState = {
  readonly email: string | null
  readonly mobile: string | null
  readonly attributes: JsonObject
  readonly mistyped: JsonObject | null
  readonly tags: readonly string[]
  readonly optOuts: OptOuts
  readonly createdAt: number
  readonly updatedAt: number
}

/** The profile after one entry: attributes merge key by key (decisions §5). */
export function changeProfile(
  state: ProfileState,
  { entry, shown, mistyped }: CheckedEntry<Pick<ProfileEntry, 'email' | 'mobile' | 'removed' | 'tags'>>,
  now: number,
): Result<ProfileState> {
  const tags = entry.tags === null ? accept(state.tags) : changeTags(state.tags, entry.tags)
  if (!tags.ok) return tags
  const attributes = overlay(without(state.attributes, entry.removed), shown)
  const excess = countFault(attributes)
  if (excess !== null) return reject(excess)
  return accept({
    email: entry.email === undefined ? state.email : entry.email,
    mobile: entry.mobile === undefined ? state.mobile : entry.mobile,
    attributes,
    mistyped: mistyped === null ? state.mistyped : overlay(state.mistyped ?? {}, mistyped),
    tags: tags.value,
    optOuts: state.optOuts,
    createdAt: state.createdAt,
    updatedAt: Math.max(state.updatedAt, now),
  })
}

/** Merges two profiles: where they differ, the one that was updated later wins. */
export function joinProfiles(survivor: ProfileState, absorbed: ProfileState, now: number): ProfileState {
  const isNewer = absorbed.updatedAt > survivor.updatedAt
  const [older, newer] = isNewer ? [survivor, absorbed] : [absorbed, survivor]
  const mistyped = overlay(older.mistyped ?? {}, newer.mistyped ?? {})
  return {
    email: newer.email ?? older.email,
    mobile: newer.mobile ?? older.mobile,
    attributes: overlay(older.attributes, newer.attributes),
    mistyped: Object.keys(mistyped).length === 0 ? null : mistyped,
    tags: [...new Set([...survivor.tags, ...absorbed.tags])],
    optOuts: joinOptOuts(survivor.optOuts, absorbed.optOuts),
    createdAt: survivor.createdAt,
    updatedAt: Math.max(survivor.updatedAt, absorbed.updatedAt, now),
  }
}

/**
 * The survivor after the merge is undone. A field that still has the value of the merge gets its value from before the
 * merge; a field that was changed since then stays.
 */
export function partProfiles(current: ProfileState, merge: Parting, now: number): ProfileState {
  const { survivor, joined } = merge
  const attributes = restore(current.attributes, { joined: joined.attributes, before: survivor.attributes })
  const added = new Set(joined.tags.filter((tag) => !survivor.tags.includes(tag)))
  return {
    email: current.email === joined.email ? survivor.email : current.email,
    mobile: current.mobile === joined.mobile ? survivor.mobile : current.mobile,
    attributes,
    mistyped: survivor.mistyped,
    tags: current.tags.filter((tag) => !added.has(tag)),
    optOuts: restore(current.optOuts, { joined: joined.optOuts, before: survivor.optOuts }),
    createdAt: survivor.createdAt,
    updatedAt: now,
  }
}

type Parting = { readonly survivor: ProfileState; readonly joined: ProfileState }

function overlay(base: JsonObject, top: JsonObject): JsonObject {
  return Object.fromEntries([...Object.entries(base), ...Object.entries(top)])
}

function without(values: JsonObject, names: readonly string[]): JsonObject {
  if (names.length === 0) return values
  const gone = new Set(names)
  return Object.fromEntries(Object.entries(values).filter(([name]) => !gone.has(name)))
}

function countFault(attributes: JsonObject): Fault | null {
  const { field, countMax } = PROFILE_ATTRIBUTES
  const actual = Object.keys(attributes).length
  return actual > countMax ? fault('too_many_attributes', field, { max: countMax, type: '', actual }) : null
}

function restore<Value>(
  current: Readonly<Record<string, Value>>,
  { joined, before }: Record<'joined' | 'before', Readonly<Record<string, Value>>>,
): Readonly<Record<string, Value>> {
  const names = new Set([...Object.keys(current), ...Object.keys(before)])
  const kept = [...names].flatMap((name): readonly (readonly [string, Value])[] => {
    const isUntouched = JSON.stringify(current[name]) === JSON.stringify(joined[name])
    const value = isUntouched ? before[name] : current[name]
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(kept)
}
