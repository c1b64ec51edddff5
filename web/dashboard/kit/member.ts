import type { UseQueryResult } from '@tanstack/react-query'
import { TEAM_ROLES } from '../../../src/rules/team.ts'
import { chosenBrand } from './brand.ts'
import type { ReplyOf } from './call.ts'
import { useRead } from './queries.ts'

export type Me = ReplyOf<'GET /api/v1/me'>['member']

/** The member who is signed in. */
export function useMe(): UseQueryResult<ReplyOf<'GET /api/v1/me'>> {
  return useRead('GET /api/v1/me', {})
}

/** Whether the member's role in the chosen brand has one of these scopes. The API refuses too; this only hides buttons. */
export function useMay(...scopes: readonly string[]): boolean {
  const { data } = useMe()
  const brand = data?.member.brands.find(({ brand_id: id }) => id === chosenBrand())
  if (brand === undefined) return false
  const owned: readonly string[] = TEAM_ROLES[brand.role].scopes
  // A scope includes its own read half.
  return scopes.some((scope) => owned.includes(scope) || owned.includes(scope.replace(/:read$/, '')))
}
