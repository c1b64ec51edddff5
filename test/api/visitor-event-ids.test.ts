import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { countBrand } from '../../src/pipeline/events/counting.ts'
import { ensureReaders } from '../../src/store/events/readers.ts'
import { entryOf, loadEvents, logEntries } from '../support/events/events.ts'
import { event, openBrowser, profilesOf, webBrand } from '../support/people/visitors.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { until } from '../support/until.ts'

const server = await startServer()
const { deps, port } = server
after(server.close)

const ID = { event_id: 'order-6001' }

test('200: an event_id that a page took is still free for the server', async () => {
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  await browser.tell(event('order placed', ID))
  const { body } = await logEntries(port, brand, [entryOf(ID)])
  assert.deepEqual(body, { message: 'success', processed: 1, status_code: '200' })
  assert.equal((await loadEvents(deps.database, brand)).length, 1)
  assert.deepEqual(await profilesOf(deps, brand), [
    { userId: null, events: ['order placed'] },
    { userId: 'u1', events: ['order placed'] },
  ])
})

test('200: an event_id that one browser took is still free for another browser', async () => {
  const brand = await webBrand(server)
  for (const browser of [await openBrowser(server, brand), await openBrowser(server, brand)]) {
    const { body } = await browser.tell(event('order placed', ID))
    assert.equal(body['warnings'], undefined)
  }
  assert.deepEqual(
    (await profilesOf(deps, brand)).map(({ events }) => events),
    [['order placed'], ['order placed']],
  )
})

test('200: a repeated event_id is processed, and the warning duplicate names its entry', async () => {
  const brand = await webBrand(server)
  await logEntries(port, brand, [entryOf(ID)])
  const { body } = await logEntries(port, brand, [entryOf(), entryOf(ID)])
  assert.deepEqual([body['message'], body['processed']], ['success', 2])
  assert.deepEqual(codesIn(body), [{ index: 1, field: 'event_id', code: 'duplicate' }])

  const browser = await openBrowser(server, brand)
  await browser.tell(event('page_viewed', ID))
  const again = await browser.tell(event('page_viewed'), { do: 'user' }, event('page_viewed', ID))
  assert.equal(again.body['processed'], 3)
  assert.deepEqual(codesIn(again.body), [{ index: 2, field: 'event_id', code: 'duplicate' }])

  const headers = keyHeaders(brand)
  const both = { nv: { ...entryOf(ID), user_params: {} } }
  const made = await call(port, { path: '/api/v1/user_event/create', headers, body: both })
  assert.deepEqual(codesIn(made.body), [{ index: 0, field: 'event_id', code: 'duplicate' }])
})

test('200: erasing a person frees the ids of their own events, and none of another source', async () => {
  const brand = await webBrand(server)
  const browser = await openBrowser(server, brand)
  await browser.tell({ do: 'user', userID: 'ann' }, event('order placed', ID))
  await logEntries(port, brand, [entryOf({ ...ID, userID: 'bob' })])
  const headers = keyHeaders(brand)
  await call(port, { path: '/api/v1/user/delete', headers, body: { nv: [{ userID: 'ann' }] } })
  await ensureReaders(deps.database, 'counting')
  const isErased = async (): Promise<boolean> => {
    await countBrand(deps.database, brand.brandId)
    return (await countRows(brand.brandId, 'erasures')) === 0
  }
  await until(isErased, { what: 'the erasure' })
  assert.equal(await countRows(brand.brandId, 'event_ids'), 1)
  const { body } = await logEntries(port, brand, [entryOf({ ...ID, userID: 'bob' })])
  assert.deepEqual(
    codesIn(body).map(({ code }) => code),
    ['duplicate'],
  )
})

type Told = { readonly index: number; readonly field: string; readonly code: string }

function codesIn({ warnings }: Readonly<Record<string, unknown>>): readonly Told[] {
  assert.ok(Array.isArray(warnings))
  return warnings.map(({ index, field, code }) => ({ index, field, code }))
}

async function countRows(brandId: number, table: string): Promise<number> {
  const { rows } = await deps.database.query<{ count: bigint }>(
    `select count(*) from ${table} where brand_id = $1`,
    [brandId],
  )
  return Number(rows[0]?.count)
}
