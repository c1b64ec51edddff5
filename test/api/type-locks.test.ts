import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseEventBody } from '../../src/http/events/body.ts'
import { EventIntake } from '../../src/intake/events/intake.ts'
import { countBrand } from '../../src/pipeline/events/counting.ts'
import { COUNTING_READER, ensureReaders } from '../../src/store/events/readers.ts'
import type { TestBrand } from '../support/database/database.ts'
import { entryOf, logEntries } from '../support/events/events.ts'
import { event, openBrowser, webBrand } from '../support/people/visitors.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'
import { until } from '../support/until.ts'

const server = await startServer()
const { deps, port } = server
after(server.close)

const bought = (total: unknown) => event('order placed', { attributes: { total } })

test('200: a type that a page sent first does not lock against the server', async () => {
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  await browser.tell(bought('much'))
  const { body } = await logEntries(port, brand, [entryOf({ attributes: { total: 5 } })])
  assert.deepEqual(told(body), [{ index: 0, field: 'attributes.total', code: 'type_overruled' }])
  assert.deepEqual(await typesOf(brand), { total: 'Number' })
  assert.deepEqual(codes(await browser.tell(bought('more'))), ['mistyped'])
  const second = await logEntries(port, brand, [entryOf({ attributes: { total: 6 } })])
  assert.equal(second.body['warnings'], undefined)
})

test('200: values of a type that was overruled are sorted anew, in events and in counts', async () => {
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  await browser.tell(bought('much'), bought(7))
  await logEntries(port, brand, [entryOf({ attributes: { total: 5 } })])
  assert.deepEqual(await shownTotals(brand), ['much', 5])
  await sorted(brand)
  assert.deepEqual(await shownTotals(brand), [7, 5])
  const { attributes } = await schemaOf(brand)
  assert.deepEqual([attributes[0]?.count, attributes[0]?.mistyped], [3, 1])
})

test('200: what another process stored under the overruled type is sorted anew too', async () => {
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  const other = new EventIntake({ database: deps.database, clock: deps.clock })
  await browser.tell(bought('much'))
  const visitor = { userId: null, email: null, mobile: null, visitor: 'somebody' }
  const log = async (total: unknown): Promise<unknown> => {
    const settings = { now: Date.now(), timeZone: 'UTC', isMerging: false }
    const body = parseEventBody({ nv: [entryOf({ attributes: { total } })] }, settings)
    assert.ok(body.ok)
    const entries = body.value.entries.map((entry) => ({ ...entry, who: visitor }))
    return other.submit(brand.brandId, { entries, rejected: [], isMerging: false })
  }
  await log('many')
  await logEntries(port, brand, [entryOf({ attributes: { total: 5 } })])
  await log('most')
  await sorted(brand)
  assert.deepEqual(await shownTotals(brand), [5])
})

test('200: attributes of profiles are sorted anew, and a page is told nothing of their types', async () => {
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  await browser.tell({ do: 'user', user_attributes: { plan: 'gold' } })
  const headers = keyHeaders(brand)
  const nv = [{ userID: 'bob', user_attributes: { plan: 3 } }]
  const { body } = await call(port, { path: '/api/v1/user/create', headers, body: { nv } })
  assert.deepEqual(told(body), [{ index: 0, field: 'user_attributes.plan', code: 'type_overruled' }])
  const answer = await browser.tell({ do: 'user', user_attributes: { plan: 'silver' } })
  assert.deepEqual([answer.status, answer.body['warnings']], [200, undefined])
  await sorted(brand)
  const { rows } = await deps.database.query(
    'select attributes, mistyped from profiles where brand_id = $1 order by id',
    [brand.brandId],
  )
  assert.deepEqual(rows, [
    { attributes: {}, mistyped: { plan: 'silver' } },
    { attributes: { plan: 3 }, mistyped: null },
  ])
})

test('200: a page learns that a value of an event is mistyped, and not of which type it should be', async () => {
  const brand = await webBrand(server)
  await logEntries(port, brand, [entryOf({ attributes: { total: 5 } })])
  const browser = await openBrowser(server, brand)
  const answer = await browser.tell(bought('much'))
  assert.deepEqual(codes(answer), ['mistyped'])
  assert.ok(!/number/i.test(answer.text), answer.text)
})

test('200: the first value of a page binds other pages until a secret key sends the attribute', async () => {
  const brand = await webBrand(server)
  await (await openBrowser(server, brand)).tell(bought('much'))
  const second = await openBrowser(server, brand)
  assert.deepEqual(codes(await second.tell(bought(5))), ['mistyped'])
  const [attribute] = (await schemaOf(brand)).attributes
  assert.equal(attribute?.is_provisional, true)
})

test('200: within one commit the values of servers decide, whatever came first', async () => {
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  await Promise.all([
    browser.tell(bought('much')),
    browser.tell(bought('more')),
    logEntries(port, brand, [entryOf({ attributes: { total: 5 } })]),
  ])
  assert.deepEqual(await typesOf(brand), { total: 'Number' })
  await sorted(brand)
  assert.deepEqual(await shownTotals(brand), [5])
})

test('200: a lock that is reset takes the type of the next value of a secret key', async () => {
  const brand = await webBrand(server)
  await logEntries(port, brand, [entryOf({ attributes: { total: '5' } })])
  const { status, body } = await reset(brand, { event_name: 'order placed', attribute: 'total' })
  assert.equal(status, 200)
  assert.deepEqual(body['type_lock'], {
    event_name: 'order placed',
    attribute: 'total',
    type: 'String',
    is_provisional: true,
  })
  await logEntries(port, brand, [entryOf({ attributes: { total: 5 } })])
  await sorted(brand)
  assert.deepEqual(await shownTotals(brand), [5])
})

test('200: a reset with a type locks to that type, and values that fit it are shown', async () => {
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  await browser.tell(bought('much'), bought(7))
  const { body } = await reset(brand, { event_name: 'order placed', attribute: 'total', type: 'Number' })
  assert.equal(Object(body['type_lock'])['is_provisional'], false)
  await sorted(brand)
  assert.deepEqual(await shownTotals(brand), [7])
  assert.deepEqual(codes(await browser.tell(bought('more'))), ['mistyped'])
})

test('200: a reset of an attribute of profiles; 404 for an attribute that nobody sent; 400 for both', async () => {
  const brand = await webBrand(server)
  const headers = keyHeaders(brand)
  const nv = [{ userID: 'ann', user_attributes: { plan: 'gold' } }]
  await call(port, { path: '/api/v1/user/create', headers, body: { nv } })
  assert.equal((await reset(brand, { user_attribute: 'plan' })).status, 200)
  assert.equal((await reset(brand, { user_attribute: 'other' })).status, 404)
  assert.equal((await reset(brand, { event_name: 'order placed', attribute: 'x' })).status, 404)
  const both = { user_attribute: 'plan', event_name: 'order placed', attribute: 'total' }
  for (const wrong of [both, {}, { event_name: 'order placed' }, { attribute: 'total' }]) {
    assert.equal((await reset(brand, wrong)).status, 400)
  }
})

async function reset(brand: TestBrand, body: object): Promise<Answer> {
  return call(port, { path: '/api/v1/events/schema/reset', headers: keyHeaders(brand), body })
}

/** Lets the pipeline count, and sort values anew. Its wait for other processes is taken as over. */
async function sorted({ brandId }: TestBrand): Promise<void> {
  await ensureReaders(deps.database, COUNTING_READER)
  const isDone = async (): Promise<boolean> => {
    await server.asOwner(`update retyped_attributes set retyped_at = retyped_at - interval '1 minute'`)
    const isBusy = await countBrand(deps.database, brandId)
    const { rows } = await deps.database.query('select from retyped_attributes where brand_id = $1', [
      brandId,
    ])
    return !isBusy && rows.length === 0
  }
  await until(isDone, { what: 'the values to be sorted' })
}

async function shownTotals({ brandId }: TestBrand): Promise<readonly unknown[]> {
  const { rows } = await deps.database.query<{ total: unknown }>(
    `select attributes -> 'total' as total from events where brand_id = $1 and attributes ? 'total' order by id`,
    [brandId],
  )
  return rows.map(({ total }) => total)
}

type SchemaAttribute = {
  readonly name: string
  readonly type: string
  readonly count: number
  readonly mistyped: number
  readonly is_provisional: boolean
}

type SchemaEvent = { readonly attributes: readonly SchemaAttribute[] }

async function schemaOf(brand: TestBrand): Promise<SchemaEvent> {
  await ensureReaders(deps.database, COUNTING_READER)
  const path = '/api/v1/events/schema'
  const found: SchemaEvent[] = []
  // A transaction anywhere in the server holds the counting back.
  const isCounted = async (): Promise<boolean> => {
    await countBrand(deps.database, brand.brandId)
    const { body } = await call(port, { path, headers: keyHeaders(brand) })
    assert.ok(Array.isArray(body['events']))
    found.push(...body['events'])
    return found.length > 0
  }
  await until(isCounted, { what: 'the events to be counted' })
  const [schema] = found
  assert.ok(schema)
  return schema
}

async function typesOf(brand: TestBrand): Promise<Readonly<Record<string, string>>> {
  const { attributes } = await schemaOf(brand)
  return Object.fromEntries(attributes.map(({ name, type }) => [name, type]))
}

function told({ warnings }: Readonly<Record<string, unknown>>): readonly object[] {
  assert.ok(Array.isArray(warnings))
  return warnings.map(({ index, field, code }) => ({ index, field, code }))
}

function codes({ body: { warnings } }: Answer): readonly string[] {
  return Array.isArray(warnings) ? warnings.map(({ code }) => code) : []
}
