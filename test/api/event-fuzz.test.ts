import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { ENTRY_FIELDS } from '../../src/rules/events.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
const { port, deps } = server
after(server.close)
const brand = await server.brand()

/** Values that JSON can write and a database may choke on. */
const ODD = [
  '1e400',
  '-1e-400',
  '1e-20000',
  `0.${'0'.repeat(20_000)}1`,
  '9'.repeat(5_000),
  '-0',
  '1E+2',
  '9223372036854775808',
  '"\\u0000"',
  '"\\ud800"',
  '"\\ud83d\\ude00"',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":1}}',
  '{"":1}',
  '{"a":1,"a":"x"}',
  '[]',
  '[[]]',
  '[{}]',
  '{}',
  'null',
  'true',
  '""',
  '"2026-02-30"',
  '"2024-02-29T10:00"',
  '{"a":{"b":{"c":["\\u0000"]}}}',
  '{"\\u0000":1}',
  '{"\\udc00":1}',
] as const

const VALUE = fc.oneof(
  fc.constantFrom(...ODD),
  fc.json({ maxDepth: 4 }),
  fc.double().filter(Number.isFinite).map(String),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
)
const TEXT = fc.string({ unit: 'binary', maxLength: 12 })
const FIELD = fc.constantFrom(...ENTRY_FIELDS, '__proto__', 'stranger', 'toString')
const MEMBERS = fc.array(fc.tuple(fc.oneof(TEXT, fc.constantFrom('a', 'b', 'c')), VALUE), { maxLength: 4 })
const OBJECT = MEMBERS.map((members) => objectOf(members))

/** An entry that is good but for what chance puts in, over or beside its fields. */
const ENTRY = fc
  .tuple(OBJECT, fc.array(fc.tuple(FIELD, fc.oneof(VALUE, OBJECT)), { maxLength: 3 }))
  .map(([attributes, extras]) =>
    objectOf([['userID', '"u"'], ['event_name', '"e"'], ['attributes', attributes], ...extras]),
  )

function objectOf(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`
}

const BODY = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(ENTRY, { minLength: 1, maxLength: 5 }).map((list) => `{"nv":[${list.join()}]}`),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('nv', 'nV', ''), VALUE).map((member) => objectOf([member])),
  },
  { weight: 1, arbitrary: VALUE },
  { weight: 1, arbitrary: TEXT },
)

async function countStored(): Promise<number> {
  const { rows } = await deps.database.query<{ count: number }>(
    'select count(*)::integer as count from events where brand_id = $1',
    [brand.brandId],
  )
  return rows[0]?.count ?? 0
}

test('any body at all is answered, and what it counts as processed is what is stored', async () => {
  await fc.assert(
    fc.asyncProperty(BODY, fc.boolean(), async (body, isKeyed) => {
      const earlier = await countStored()
      const headers = { ...keyHeaders(brand), ...(isKeyed && { 'idempotency-key': crypto.randomUUID() }) }
      const answer = await call(port, { path: '/api/event', headers, body })
      assert.ok([200, 400, 403].includes(answer.status), `${answer.status} ${answer.text}`)
      const { processed } = answer.body
      const repeated = /"event_id"/.test(body)
      const stored = (await countStored()) - earlier
      assert.ok(repeated ? stored <= Number(processed) : stored === processed, answer.text)
    }),
    { numRuns: 400 },
  )
})

for (const value of ODD)
  test(`an attribute of ${value.slice(0, 40)} is stored or refused`, async () => {
    const entry = objectOf([
      ['userID', '"u"'],
      ['event_name', '"odd"'],
      ['attributes', objectOf([['x', value]])],
    ])
    for (const nv of [[entry], [entry, '{"userID":"u","event_name":"odd","attributes":{},"stranger":1}']]) {
      const body = `{"nv":[${nv.join()}]}`
      const { status, text } = await call(port, { path: '/api/event', headers: keyHeaders(brand), body })
      assert.ok([200, 403].includes(status), text)
    }
  })
