import { readHalf } from '../domain/team/scopes.ts'
import type { Scope } from '../rules/brand.ts'
import type { StreamRoute, TenantRoute } from './route.ts'

/** The scopes of which a caller needs one: the row's own, and for a row that changes nothing their read halves. */
export function scopesOf(route: TenantRoute | StreamRoute): readonly Scope[] {
  const { scopes, readScopes } = route
  if (route.method !== 'GET' && route.isRead !== true) return scopes
  return [...scopes, ...(readScopes ?? scopes.flatMap((scope) => readHalf(scope) ?? []))]
}
