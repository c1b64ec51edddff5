import type { IdentityKind } from '../../rules/people.ts'
import type { Identifiers } from './identifiers.ts'

/** One identifier of a person. */
export type Name = { readonly kind: IdentityKind; readonly value: string }

/** An identifier that belongs to a profile. */
export type Identity = Name & { readonly profileId: bigint; readonly profileCreatedAt: number }

/** The changes after which every person of a call has exactly one profile. */
type IdentityPlan = {
  /** People without a profile, each with all their identifiers. */
  readonly newcomers: readonly (readonly Name[])[]
  /** New identifiers of profiles that exist. */
  readonly added: readonly Identity[]
  readonly merges: readonly { readonly survivor: Profile; readonly absorbed: readonly bigint[] }[]
}

type Profile = { readonly id: bigint; readonly createdAt: number }

/**
 * Finds the profiles that are one person, when profiles merge (decisions §5). Identifiers in one entry belong to one
 * person, and so do all profiles that these identifiers find, directly or through other entries. The oldest profile
 * survives.
 */
export function planIdentities(people: readonly Identifiers[], known: readonly Identity[]): IdentityPlan {
  const byName = new Map(known.map((identity) => [keyOf(identity), identity]))
  const persons = groupNames(people, known).map((names) => ({
    names,
    free: names.filter((name) => !byName.has(keyOf(name))),
    profiles: profilesOf(names.flatMap((name) => byName.get(keyOf(name)) ?? [])),
  }))
  return {
    newcomers: persons.filter(({ profiles }) => profiles.length === 0).map(({ names }) => names),
    added: persons.flatMap(({ free, profiles: [oldest] }) => {
      if (oldest === undefined) return []
      return free.map((name) => ({ ...name, profileId: oldest.id, profileCreatedAt: oldest.createdAt }))
    }),
    merges: persons.flatMap(({ profiles: [survivor, ...others] }) => {
      if (survivor === undefined || others.length === 0) return []
      return [{ survivor, absorbed: others.map(({ id }) => id) }]
    }),
  }
}

/** The identifiers of one entry. */
export function identifierNamesOf({ userId, email, mobile, visitor }: Identifiers): readonly Name[] {
  const names: readonly { readonly kind: IdentityKind; readonly value: string | null }[] = [
    { kind: 'user_id', value: userId },
    { kind: 'email', value: email },
    { kind: 'mobile', value: mobile },
    { kind: 'visitor', value: visitor ?? null },
  ]
  return names.flatMap(({ kind, value }) => (value === null ? [] : [{ kind, value }]))
}

export function keyOf({ kind, value }: Name): string {
  return `${kind} ${value}`
}

/** Groups identifiers: two are in one group when an entry or a profile has both. */
function groupNames(
  people: readonly Identifiers[],
  known: readonly Identity[],
): readonly (readonly Name[])[] {
  const group = new Map<string, Name[]>()
  const tie = (names: readonly Name[]): void => {
    const joined = [...new Set(names.map((name) => group.get(keyOf(name)) ?? [name]))].flat()
    for (const name of joined) group.set(keyOf(name), joined)
  }
  for (const who of people) tie(identifierNamesOf(who))
  for (const names of Map.groupBy(known, ({ profileId }) => profileId).values()) {
    tie(names.filter((name) => group.has(keyOf(name))).map(({ kind, value }) => ({ kind, value })))
  }
  return [...new Set(group.values())]
}

/** Oldest first; of two made at the same moment, the one with the smaller id. */
function profilesOf(identities: readonly Identity[]): readonly Profile[] {
  const profiles = new Map(identities.map(({ profileId, profileCreatedAt }) => [profileId, profileCreatedAt]))
  return [...profiles]
    .map(([id, createdAt]) => ({ id, createdAt }))
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
}
