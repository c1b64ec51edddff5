import type { User } from '../../client/api/profiles.ts'
import { EVER } from '../events/range.ts'
import { addressOf } from '../kit/address.tsx'

/** The name by which a page calls a person: a name among the attributes, else an identifier. */
export function nameOf(person: User, anonymous: string): string {
  const { user_attributes: attributes } = person
  const named = NAME_ATTRIBUTES.map((name) => attributes[name]).find((value) => typeof value === 'string')
  const visitor = `${anonymous} ${visitorOf(person).slice(0, 8)}`
  return named ?? person.userID ?? person.email ?? person.mobile ?? visitor
}

const NAME_ATTRIBUTES = ['name', 'full_name', 'first_name', 'firstName']

/** A person is addressed by user id, or by the next best identifier, which the address then names. */
export function addressOfPerson(person: User): string {
  if (person.userID !== null) return addressOfIdentity({ kind: 'user_id', value: person.userID })
  const [identity] = person.identities
  return addressOfIdentity(identity ?? { kind: 'visitor', value: '' })
}

/** The page of the person whom an identifier names. */
export function addressOfIdentity({ kind, value }: User['identities'][number]): string {
  return addressOf(`/people/${encodeURIComponent(value)}`, kind === 'user_id' ? {} : { by: kind })
}

function visitorOf({ identities }: User): string {
  return identities.find(({ kind }) => kind === 'visitor')?.value ?? ''
}

export type IdentityKind = User['identities'][number]['kind']

export const IDENTITY_KINDS = [
  'user_id',
  'email',
  'mobile',
  'visitor',
] as const satisfies readonly IdentityKind[]

/** The person's events, if a user id names them. */
export function addressOfEvents({ userID: userId }: User): string | undefined {
  return userId === null ? undefined : addressOf('/events/rows', { person: userId, from: EVER })
}
