import type { IdentityKind } from '../../rules/people.ts'
import type { Identifiers } from './identifiers.ts'

/** One name of a person. */
export type Name = { readonly kind: IdentityKind; readonly value: string }

/** A name that is taken, and by whom. */
export type Identity = Name & { readonly profileId: bigint; readonly profileCreatedAt: number }

/** What has to change so that everybody in a call is one profile, and every profile one person. */
type IdentityPlan = {
  /** People nobody knows yet, each with all their names. */
  readonly newcomers: readonly (readonly Name[])[]
  /** Names that a known profile has not had so far. */
  readonly added: readonly Identity[]
  readonly merges: readonly { readonly survivor: Profile; readonly absorbed: readonly bigint[] }[]
}

type Profile = { readonly id: bigint; readonly createdAt: number }

/**
 * Who is who, when profiles merge (decisions §5). Names that come together in one entry belong to one person, and so
 * do all profiles that such names lead to, also by way of other entries; of those the oldest survives.
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

/** The names of one entry. */
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

/** Puts names into groups: two are in one group when an entry, or a profile, ties them together. */
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
