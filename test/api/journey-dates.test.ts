import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { runJourneysAt } from '../support/journeys/runs.ts'
import { REMIND, type Walker, walkers } from '../support/journeys/walkers.ts'
import { startServer } from '../support/processes/server.ts'

const server = await startServer()
const { deps, close } = server
after(close)
const walk = walkers(server)

const MINUTE_MS = 60_000
const REMINDED = ['entered', 'remind:sent', 'completed']

/** A journey that is due ten minutes from now for whoever has today's date, or tomorrow's around midnight. */
async function dueSoon(more: object = {}) {
  const now = Date.now()
  const due = Math.ceil(now / MINUTE_MS) * MINUTE_MS + 10 * MINUTE_MS
  const [day = '', clock = ''] = new Date(due).toISOString().slice(0, 16).split('T')
  const walker = await walk({ trigger: { date: 'renewal', at: clock }, steps: [REMIND], ...more })
  const runAt = async (at: number) => runJourneysAt(deps.database, walker.brand.brandId, at)
  return { walker, due, day, runAt }
}

async function setDate({ api }: Walker, day: string): Promise<void> {
  const { status, text } = await api('POST', '/api/v1/user/create', {
    nv: [{ userID: 'u1', user_attributes: { renewal: day } }],
  })
  assert.equal(status, 200, text)
}

for (const reentry of ['never', 'after_exit', 'always']) {
  test(`a date that is set a few minutes before it is due is kept, once, with re-entry ${reentry}`, async () => {
    const { walker, due, day, runAt } = await dueSoon({ reentry })
    await walker.run(0)
    await setDate(walker, day)
    await runAt(due + 6 * MINUTE_MS)
    assert.deepEqual(await walker.path(), REMINDED)
    await runAt(due + 25 * MINUTE_MS)
    await runAt(due + 60 * MINUTE_MS)
    assert.deepEqual(await walker.path(), REMINDED)
  })
}

test('a pause of a moment before a date does not make it come twice', async () => {
  const { walker, due, day, runAt } = await dueSoon({ reentry: 'always' })
  await setDate(walker, day)
  await walker.run(0)
  assert.deepEqual(await walker.path(), ['entered'])
  await walker.act('pause')
  await walker.act('activate')
  await walker.run(0)
  await runAt(due)
  assert.deepEqual(await walker.path(), REMINDED)
})

test('a date whose time had passed when the journey was activated does not come', async () => {
  const { walker, due, day } = await dueSoon()
  await setDate(walker, day)
  await deps.database.query('update journeys set active_since = $2, scan_at = $2 where brand_id = $1', [
    walker.brand.brandId,
    new Date(due),
  ])
  await runJourneysAt(deps.database, walker.brand.brandId, due + MINUTE_MS)
  assert.deepEqual(await walker.path(), [])
})
