import assert from 'node:assert/strict'
import { COMPONENTS } from '../../../src/http/reference/openapi-components.ts'
import { codesOf } from '../../../src/http/reference/route-codes.ts'
import type { Route } from '../../../src/http/route.ts'
import { ROUTES } from '../../../src/http/routes.ts'
import { parseBody, type Schema, Type } from '../../../src/http/schema/schema.ts'
import { membersOf } from '../../../src/http/schema/walk.ts'
import type { Answer } from '../processes/server.ts'

/** Holds a success to what `/openapi.json` says about it: every field is there, and none that is not named. */
export function assertDocumented(address: Pick<Route, 'method' | 'path'>, answer: Answer): void {
  const route = routeAt(address)
  const parsed = parseBody(SUCCESS, answer.body)
  const carried = parseBody(replyOf(route), answer.body)
  assert.ok(parsed.ok, JSON.stringify(parsed))
  assert.ok(carried.ok, JSON.stringify(carried))
  const known = new Set([
    ...Object.keys(fieldsIn(COMPONENTS.schemas.Success)),
    ...Object.keys(fieldsIn(route.reply)),
  ])
  const unknown = carried.value.warnings.map(({ field }) => field).filter((field) => !known.has(field))
  assert.deepEqual(unknown, [])
}

/** Holds a refusal to the codes that `/openapi.json` lists for the route. */
export function assertRefusalDocumented(address: Pick<Route, 'method' | 'path'>, answer: Answer): void {
  const known = new Set<string>(codesOf(routeAt(address)))
  const { errors } = answer.body
  const codes = Array.isArray(errors) ? errors.map((error) => String(membersOf(error)['code'])) : []
  assert.ok(codes.length > 0, answer.text)
  const unknown = codes.filter((code) => !known.has(code))
  assert.deepEqual(unknown, [], `${address.method} ${address.path}`)
}

function routeAt(address: Pick<Route, 'method' | 'path'>): Route {
  const route = ROUTES.find(({ method, path }) => method === address.method && path === address.path)
  assert.ok(route !== undefined, `no row for ${address.method} ${address.path}`)
  return route
}

const SUCCESS = Type.Object(fieldsIn(COMPONENTS.schemas.Success))

/** One object for each route, so that its schema is compiled once. */
const replies = new Map<Route, Schema>()

function replyOf(route: Route): Schema {
  const reply = replies.get(route) ?? { ...(route.reply ?? Type.Object({})), components: COMPONENTS }
  replies.set(route, reply)
  return reply
}

function fieldsIn(schema: unknown): Record<string, object> {
  const fields = Object.entries(membersOf(membersOf(schema)['properties']))
  return Object.fromEntries(fields.map(([name, field]) => [name, Object(field)]))
}
