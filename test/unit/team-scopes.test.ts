import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { actorName, type MemberActor } from '../../src/domain/team/actor.ts'
import { mintableScopes, readHalf, withParts } from '../../src/domain/team/scopes.ts'
import { KEY_KINDS, SCOPES } from '../../src/rules/brand.ts'
import { TEAM_ROLE_NAMES, TEAM_ROLES, type TeamRole } from '../../src/rules/team.ts'
import { renderRoles } from '../support/reference/roles-page.ts'

const member = (role: TeamRole): MemberActor => ({
  type: 'member',
  memberId: 'm1',
  sessionId: 's1',
  role,
  confirmedAt: 0,
})

test('docs/roles.md is what the tables say', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/roles.md'), 'utf8')
  assert.equal(page, renderRoles())
})

test('a scope has its read half and its parts, and no other scope', () => {
  assert.deepEqual(withParts(['push', 'brand']), ['push', 'push:read', 'brand', 'brand:read', 'keys'])
  assert.deepEqual(withParts(['push:read', 'track']), ['push:read', 'track'])
  assert.deepEqual([readHalf('events'), readHalf('approve'), readHalf('track')], ['events:read', null, null])
})

test('a member gives a key no scope that the role lacks, but a developer also push and events', () => {
  for (const role of TEAM_ROLE_NAMES) {
    const own = withParts(TEAM_ROLES[role].scopes)
    const beyond = mintableScopes(member(role), own).filter((scope) => !own.includes(scope))
    const more = role === 'developer' ? ['push', 'push:read', 'events', 'events:read'] : []
    assert.deepEqual(beyond, more, role)
  }
  assert.deepEqual(mintableScopes({ type: 'key', keyId: 1, kind: 'secret' }, ['keys']), ['keys'])
})

test('every scope belongs to a kind of key, but members, which only owners have', () => {
  const ofKeys: readonly string[] = Object.values(KEY_KINDS).flatMap(({ scopes, parts }) => [
    ...scopes,
    ...parts,
  ])
  assert.deepEqual(
    Object.keys(SCOPES).filter((scope) => !ofKeys.includes(scope)),
    ['members'],
  )
  assert.deepEqual(
    TEAM_ROLE_NAMES.filter((role) => withParts(TEAM_ROLES[role].scopes).includes('members')),
    ['owner'],
  )
})

test('actors are named by their type and id', () => {
  assert.equal(actorName({ type: 'key', keyId: 12, kind: 'secret' }), 'key:12')
  assert.equal(actorName(member('owner')), 'member:m1')
})
