import { attributeTypeOf } from '../../domain/attribute.ts'
import type { PersonChange } from '../../domain/journey-plan.ts'
import { changeProfile } from '../../domain/profile-state.ts'
import type { Db } from '../db.ts'
import { fitToLocks } from '../events/locked-fit.ts'
import { lockProfileStates, saveProfileStates } from '../people/profile-states.ts'

const PATIENCE_MS = 300

export type WishedChange = { readonly profileId: bigint; readonly change: PersonChange }

/**
 * Sets attributes and tags of people, in their order. An attribute keeps to the type it is locked to, like one that a
 * caller sends: a value of another type is set aside. What a profile has no room for is left out. Gives the changes that
 * were not made.
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
  const { fit } = await fitToLocks(tx, { brandId, entries, findLocks: () => undefined, now })
  const ids = [...new Set(changes.map(({ profileId }) => profileId))]
  // A merge holds the profile and waits for the enrolments that we hold. It has a caller and we have not: give way, and
  // well before the server would look who waits in a circle and choose. Any other call is soon over.
  await tx.query(`set local lock_timeout = '${PATIENCE_MS}ms'`)
  const states = new Map(await lockProfileStates(tx, brandId, ids))
  await tx.query('set local lock_timeout to default')
  for (const fitted of fit.fitted) {
    const { wished } = fitted.entry
    const state = states.get(wished.profileId)
    const changed = state === undefined ? null : changeProfile(state, fitted, now)
    if (changed?.ok === true) states.set(wished.profileId, changed.value)
    if (changed?.ok !== true || fitted.setAside !== null) unmade.add(wished)
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
    return { ...common, attributes: {}, types: [], tags: { kind: 'edit', ...tags } as const }
  }
  const { attribute, value } = change
  const type = value === null ? null : attributeTypeOf(value)
  if (type === null) return { ...common, attributes: {}, types: [], removed: [attribute] }
  return { ...common, attributes: { [attribute]: value }, types: [type] }
}

/** The locks of profiles stand beside those of events, under a name no event can have. */
const PROFILE_LOCKS = ''
