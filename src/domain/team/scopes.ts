import { SCOPE_PARTS, type Scope } from '../../rules/brand.ts'
import { TEAM_ROLES } from '../../rules/team.ts'
import type { Actor } from './actor.ts'

/** The scopes of a caller: those that a key or a role names, and their parts. */
export function withParts(scopes: readonly Scope[]): readonly Scope[] {
  return [...new Set(scopes.flatMap((scope) => [scope, ...(SCOPE_PARTS[scope] ?? [])]))]
}

/** The scopes that a caller may give to a new key, with their parts. */
export function mintableScopes(actor: Actor, scopes: readonly Scope[]): readonly Scope[] {
  return actor.type === 'key' ? scopes : withParts([...scopes, ...TEAM_ROLES[actor.role].mints])
}

/** The read half of a scope, if it has one: it opens the rows of the scope that change nothing. */
export function readHalf(scope: Scope): Scope | null {
  return (SCOPE_PARTS[scope] ?? []).find((part) => part === `${scope}:read`) ?? null
}
