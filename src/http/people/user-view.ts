import { IDENTITY_KINDS, USER_LIST_LIMITS } from '../../rules/people.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import type { ListedUser } from '../../store/people/users.ts'
import { Type } from '../schema/schema.ts'
import { INSTANT, instantOf, NEXT_CURSOR } from '../schema/view.ts'
import { PROFILE_VIEW, renderProfile } from './view.ts'

/** A person in a list of people, with the sums that the pipeline counted so far. */
export function renderUser(user: ListedUser): object {
  const { names, createdAt } = user
  const userIds = names.filter(({ kind }) => kind === 'user_id').map(({ value }) => value)
  return {
    ...renderProfile({ ...user, userIds }),
    identities: names,
    platforms: user.platforms,
    event_count: user.eventCount,
    ltv: user.ltv,
    first_seen: instantOf(user.firstEventAt ?? createdAt),
    last_seen: instantOf(user.lastEventAt ?? createdAt),
  }
}

const USER_VIEW = Type.Object({
  ...PROFILE_VIEW.properties,
  identities: Type.Array(Type.Object({ kind: Type.Enum([...IDENTITY_KINDS]), value: Type.String() })),
  platforms: Type.Array(Type.Enum([...PLATFORM_NAMES]), { description: 'Those of the live devices.' }),
  event_count: Type.Integer(),
  ltv: Type.String({ description: 'The sum of the ltv of all events.' }),
  first_seen: INSTANT,
  last_seen: INSTANT,
})

export const USER_LIST_VIEW = Type.Object({
  users: Type.Array(USER_VIEW, {
    description: 'A page may have fewer people than asked for; only next_cursor says whether there are more.',
  }),
  count: Type.Union([Type.Integer(), Type.Null()], {
    description: `The number of people on all pages. Only the first page has it. Up to ${USER_LIST_LIMITS.countMax} it is exact.`,
  }),
  estimated: Type.Union([Type.Boolean(), Type.Null()], { description: 'Whether count is an estimate.' }),
  ...NEXT_CURSOR,
})
