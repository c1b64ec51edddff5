import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ATTRIBUTE_TYPES } from '../../src/rules/attributes.ts'
import type { TestBrand } from '../support/database/database.ts'
import { entryOf } from '../support/events/events.ts'
import { event, openBrowser, webBrand } from '../support/people/visitors.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
after(server.close)

const DATES_MAX = ATTRIBUTE_TYPES.date.perEventMax
const STRINGS_MAX = ATTRIBUTE_TYPES.string.perEventMax

function attributesOf(value: string, count: number, prefix = 'a'): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, value]))
}

const dates = (count: number) => attributesOf('2026-02-28', count)
const texts = (count: number) => attributesOf('text', count, 'b')

/** With an Idempotency-Key the process does not remember the locks, so that they must be loaded. */
async function lockStrings(brand: TestBrand, count: number): Promise<void> {
  const headers = { ...keyHeaders(brand), 'idempotency-key': 'locks' }
  const nv = [entryOf({ attributes: attributesOf('text', count) })]
  assert.equal((await call(server.port, { path: '/api/event', headers, body: { nv } })).status, 200)
}

async function log(brand: TestBrand, attributes: object, path = '/api/event'): Promise<Answer> {
  return call(server.port, { path, headers: keyHeaders(brand), body: { nv: [entryOf({ attributes })] } })
}

function refusalOf({ body }: Answer): unknown {
  const [first] = Array.isArray(body['unprocessed']) ? body['unprocessed'] : []
  return first?.message
}

test('200 for 30 String attributes that look like dates: the lock decides the type before they are counted', async () => {
  for (const path of ['/api/event', '/api/v1/user_event/create']) {
    const brand = await server.brand()
    await lockStrings(brand, DATES_MAX + 10)
    for (const round of ['locks loaded', 'locks known']) {
      const { status, text } = await log(brand, dates(DATES_MAX + 10), path)
      assert.equal(status, 200, `${path}, ${round}: ${text}`)
      assert.doesNotMatch(text, /type_locked/)
    }
  }
})

test('200 for the same from a browser', async () => {
  const brand = await webBrand(server)
  await lockStrings(brand, DATES_MAX + 10)
  const { name } = { name: String(Object(entryOf())['event_name']) }
  const browser = await openBrowser(server, brand)
  const { body } = await browser.tell(event(name, { attributes: dates(DATES_MAX + 10) }))
  assert.equal(body['processed'], 1, JSON.stringify(body))
})

test('refused: one Date too many, when only the others are locked as String', async () => {
  const brand = await server.brand()
  await lockStrings(brand, 10)
  assert.equal((await log(brand, dates(10 + DATES_MAX))).status, 200)
  const refused = await log(brand, dates(10 + DATES_MAX + 1))
  assert.match(
    String(refusalOf(refused)),
    new RegExp(`${DATES_MAX} attributes of type Date; .*${DATES_MAX + 1}`),
  )
})

test('refused: one String too many, when texts that look like dates are among them', async () => {
  const brand = await server.brand()
  await lockStrings(brand, 10)
  assert.equal((await log(brand, { ...texts(STRINGS_MAX - 10), ...dates(10) })).status, 200)
  const refused = await log(brand, { ...texts(STRINGS_MAX - 9), ...dates(10) })
  assert.match(String(refusalOf(refused)), new RegExp(`${STRINGS_MAX} attributes of type String`))
})
