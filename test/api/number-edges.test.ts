import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { encodeJson, isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import { COMPONENTS } from '../../src/http/reference/openapi-components.ts'
import type { Route } from '../../src/http/route.ts'
import { ROUTES } from '../../src/http/routes.ts'
import { partAt } from '../../src/http/schema/walk.ts'
import { atLength } from '../support/length.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
after(server.close)
const brand = await server.brand()

/** Numbers as they may be written in JSON. These stand in every place, since each fails in a way of its own. */
const ALWAYS = ['0', '-1', '2147483648', '9223372036854775808', '1e400', '0.5'] as const

/** And these in every third place, in turn, or in every place at full length. */
const IN_TURN = [
  '-0',
  '1',
  '9007199254740992',
  '9223372036854775807',
  '-9223372036854775808',
  '1e19',
  '-1e19',
  '1e-20000',
] as const

let turn = 0

function nextEdges(): readonly string[] {
  turn += 1
  return [...ALWAYS, ...IN_TURN.filter((_, index) => (index + turn) % 3 < atLength(3))]
}

/** Stands for the number until the body is written, because JSON.stringify would round it. */
const MARK = '"the edge"'

type Place = readonly (string | number)[]

/** Where a number may stand in a body, as far as the schema says. References are followed a few times. */
function numbersIn(schema: unknown, place: Place = [], depth = 10): readonly Place[] {
  if (!isJsonObject(schema) || depth <= 0) return []
  const { $ref, type, properties, items, anyOf, oneOf, format } = schema
  if (typeof $ref === 'string') return numbersIn(partAt({ components: COMPONENTS }, $ref), place, depth - 4)
  const types: readonly unknown[] = Array.isArray(type) ? type : [type]
  const own = types.includes('integer') || types.includes('number') || format === 'int64' ? [place] : []
  const choices: readonly unknown[] = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []))
  return [
    ...own,
    ...Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, part]) =>
      numbersIn(part, [...place, name], depth - 1),
    ),
    ...numbersIn(items, [...place, 0], depth - 1),
    ...choices.flatMap((choice) => numbersIn(choice, place, depth - 1)),
  ]
}

/** The value with the mark put into one place; the way to it is made. */
function withMark(value: unknown, [step, ...rest]: Place): unknown {
  if (step === undefined) return JSON.parse(MARK)
  if (typeof step === 'number') {
    const list: readonly unknown[] = Array.isArray(value) ? value : []
    return [withMark(list[0], rest), ...list.slice(1)]
  }
  const object: JsonObject = isJsonObject(value) ? value : {}
  return { ...object, [step]: withMark(object[step], rest) }
}

async function ask({ method, path }: Route, address: string, body?: string): Promise<Answer> {
  const headers = { ...keyHeaders(brand), 'content-type': 'application/json' }
  const answer = await call(server.port, { method, path: address, headers, ...(body && { body }) })
  const detail = `${method} ${path}: ${address} ${body ?? ''} ${server.log.at(-1) ?? ''}`
  assert.ok(answer.status < 500 || answer.status === 503, `${answer.status} ${detail}`)
  return answer
}

const ASKED = ROUTES.filter(
  ({ path, body }) => body !== 'stream' && !/\/tail$|^\/(?:demo|sandbox)/.test(path),
)

test('no number in any body is answered with a 500', async (context) => {
  let calls = 0
  for (const route of ASKED) {
    const address = route.path.replaceAll(/\{\w+\}/g, '1')
    // A document contains itself, so a number of one name is tried once in each body.
    const places = new Map(numbersIn(route.bodySchema).map((place) => [place.at(-1), place]))
    for (const place of places.values()) {
      const body = encodeJson(withMark(route.example ?? {}, place))
      for (const edge of nextEdges()) {
        calls += 1
        await ask(route, address, body.replace(MARK, edge))
      }
    }
  }
  context.diagnostic(`${calls} calls`)
  assert.ok(calls > 200, 'the schemas name more numbers than were tried')
})

test('no number in any address is answered with a 500', async () => {
  for (const route of ASKED) {
    const { properties } = isJsonObject(route.querySchema) ? route.querySchema : {}
    const names = Object.keys(isJsonObject(properties) ? properties : {})
    if (!route.path.includes('{') && names.length === 0) continue
    const body = route.bodySchema === undefined ? undefined : encodeJson(route.example ?? {})
    const addresses = nextEdges().flatMap((edge) => {
      const path = route.path.replaceAll(/\{\w+\}/g, edge)
      return [path, ...names.map((name) => `${path}?${name}=${edge}`)]
    })
    for (const address of new Set(addresses)) await ask(route, address, body)
  }
})
