import assert from 'node:assert/strict'
import { COMPONENTS } from '../../../src/http/reference/openapi-components.ts'
import type { Route } from '../../../src/http/route.ts'
import { ROUTES } from '../../../src/http/routes.ts'
import { parseBody, Type } from '../../../src/http/schema/schema.ts'
import { membersOf } from '../../../src/http/schema/walk.ts'
import type { Answer } from '../processes/server.ts'

/** Holds a success to what `/openapi.json` says about it: every field is there, and none that is not named. */
export function assertDocumented(address: Pick<Route, 'method' | 'path'>, answer: Answer): void {
  const route = ROUTES.find(({ method, path }) => method === address.method && path === address.path)
  assert.ok(route !== undefined, `no row for ${address.method} ${address.path}`)
  const parsed = parseBody(Type.Object(fieldsIn(COMPONENTS.schemas.Success)), answer.body)
  const carried = parseBody({ ...(route.reply ?? Type.Object({})), components: COMPONENTS }, answer.body)
  assert.ok(parsed.ok, JSON.stringify(parsed))
  assert.ok(carried.ok, JSON.stringify(carried))
  const known = new Set([
    ...Object.keys(fieldsIn(COMPONENTS.schemas.Success)),
    ...Object.keys(fieldsIn(route.reply)),
  ])
  const unknown = carried.value.warnings.map(({ field }) => field).filter((field) => !known.has(field))
  assert.deepEqual(unknown, [])
}

function fieldsIn(schema: unknown): Record<string, object> {
  const fields = Object.entries(membersOf(membersOf(schema)['properties']))
  return Object.fromEntries(fields.map(([name, field]) => [name, Object(field)]))
}
