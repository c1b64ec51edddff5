import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type JsonBounds, JsonScanner } from '../../src/domain/values/json-scanner.ts'
import { parseLargeJson } from '../../src/http/edge/large-json.ts'

const WIDE: JsonBounds = { depthMax: 100, containersMax: 1_000_000, valuesMax: 10_000_000, membersMax: 1_000 }

/** Scanned in the pieces a socket brings. */
async function parse(text: string): Promise<{ readonly slices: number; readonly value: unknown }> {
  const bytes = Buffer.from(text)
  const scanner = new JsonScanner(WIDE)
  for (let at = 0; at < bytes.length; at += 65_536) {
    assert.equal(scanner.scan(bytes.subarray(at, at + 65_536)), null)
  }
  const slices = scanner.longLists.reduce((sum, { cuts }) => sum + cuts.length + 1, 0)
  const parsed = await parseLargeJson(bytes, scanner.longLists)
  return { slices, value: parsed.ok ? parsed.value : 'refused' }
}

const TEXT = 'x'.repeat(1_000)
const ENTRIES = Array.from({ length: 4_000 }, (_, index) => ({ index, text: `${TEXT},[{"\\é` }))

test('a list of several megabytes is parsed in slices to the same value', async () => {
  const body = { before: [1, 2], nv: ENTRIES, after: { list: [3] }, __proto: null }
  const { slices, value } = await parse(JSON.stringify(body, null, 1))
  assert.ok(slices >= 4, `${slices} slices`)
  assert.deepEqual(value, body)
})

test('of two long lists with one name the last wins', async () => {
  const first = JSON.stringify(ENTRIES)
  const last = JSON.stringify(ENTRIES.toReversed())
  const { value } = await parse(`{"nv":${first},"nv":${last}}`)
  assert.deepEqual(value, { nv: ENTRIES.toReversed() })
})

test('integers beyond 2^53 stay exact in every slice', async () => {
  const items = Array.from(
    { length: 2_000 },
    (_, index) => `{"id":922337203685477${5000 + index},"t":"${TEXT}"}`,
  )
  const { value } = await parse(`{"nv":[${items.join(',')}]}`)
  const { nv } = Object(value)
  assert.deepEqual([nv[0].id, nv[1999].id], [9223372036854775000n, 9223372036854776999n])
})

const LONG = JSON.stringify(ENTRIES).slice(1, -1)
const BROKEN = [
  ['two commas in a row', `{"nv":[${LONG},,${LONG}]}`],
  ['a comma at the end', `{"nv":[${LONG},]}`],
  ['an item that is cut off', `{"nv":[${LONG},{"a":]}`],
  ['a bracket too many', `{"nv":[${LONG}]]}`],
  ['two lists side by side', `{"nv":[${LONG}][${LONG}]}`],
] as const
for (const [name, text] of BROKEN) {
  test(`refused: ${name}`, async () => assert.equal((await parse(text)).value, 'refused'))
}
