import { attributeTypeOf } from '../../domain/events/attribute.ts'
import type { AttributeShape } from '../../domain/events/attributes.ts'
import type { PersonChange } from '../../domain/journeys/steps.ts'
import { changeProfile } from '../../domain/people/profile-state.ts'
import type { Db } from '../db.ts'
import { applyTypeLocks } from '../events/type-locks.ts'
import { lockProfileStates, saveProfileStates } from '../people/profile-states.ts'

/**
 * Locks the profiles that no other transaction has locked, until the transaction ends, and gives their ids. It never
 * waits for a lock: a merge locks the person first and then waits for the enrolments that we have locked.
 */
export async function lockFreePeople(
  tx: Db,
  brandId: number,
  ids: readonly bigint[],
): Promise<ReadonlySet<bigint>> {
  if (ids.length === 0) return new Set()
  const { rows } = await tx.query<{ id: bigint }>(
    'select id from profiles where brand_id = $1 and id = any($2) order by id for no key update skip locked',
    [brandId, ids],
  )
  return new Set(rows.map(({ id }) => id))
}

type WishedChange = { readonly profileId: bigint; readonly change: PersonChange }

/**
 * Sets attributes and tags of people whose profiles are locked (`lockFreePeople`), in the order of the changes. Type
 * locks apply as they do to a caller's values: a mistyped value is not shown. A change that a profile has no room for is
 * left out. Gives the changes that were not made.
 */
export async function saveJourneyChanges(
  tx: Db,
  {
    brandId,
    changes,
    now,
  }: { readonly brandId: number; readonly changes: readonly WishedChange[]; readonly now: number },
): Promise<ReadonlySet<WishedChange>> {
  const unmade = new Set<WishedChange>()
  if (changes.length === 0) return unmade
  const entries = changes.map(entryOf)
  const applied = await applyTypeLocks(tx, { brandId, entries, findLocks: () => undefined, now })
  const ids = [...new Set(changes.map(({ profileId }) => profileId))]
  const states = new Map(await lockProfileStates(tx, brandId, ids))
  for (const checked of applied.entries) {
    const { wished } = checked.entry
    const state = states.get(wished.profileId)
    const changed = state === undefined ? null : changeProfile(state, checked, now)
    if (changed?.ok === true) states.set(wished.profileId, changed.value)
    if (changed?.ok !== true || checked.mistyped !== null) unmade.add(wished)
  }
  await saveProfileStates(tx, brandId, states)
  return unmade
}

function entryOf(wished: WishedChange) {
  const { change } = wished
  const common = {
    wished,
    name: PROFILE_LOCKS,
    email: undefined,
    mobile: undefined,
    removed: [],
    tags: null,
  }
  if (change.kind === 'tag') {
    const tags = change.isAdded ? { add: [change.tag], remove: [] } : { add: [], remove: [change.tag] }
    return { ...common, attributes: {}, shape: NO_ATTRIBUTES, tags: { kind: 'edit', ...tags } as const }
  }
  const { attribute, value } = change
  const type = value === null ? null : attributeTypeOf(value)
  if (type === null) return { ...common, attributes: {}, shape: NO_ATTRIBUTES, removed: [attribute] }
  return { ...common, attributes: { [attribute]: value }, shape: { names: [attribute], types: [type] } }
}

const NO_ATTRIBUTES: AttributeShape = { names: [], types: [] }

/** The event name of the type locks of profile attributes; no event can have it. */
const PROFILE_LOCKS = ''
