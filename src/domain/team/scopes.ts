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

/** Whether a caller may read what one of the wanted scopes shows. The read half of a scope is enough. */
export function isOpenTo(scopes: readonly Scope[], wanted: readonly Scope[]): boolean {
  return wanted.some((scope) => scopes.includes(scope) || scopes.some((held) => held === readHalf(scope)))
}
