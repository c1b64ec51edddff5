import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { withOwner } from '../../src/store/db.ts'
import { emptyDatabase } from '../support/database/database.ts'
import { endWith, freshFolder, type RunningBeckon, startBeckon } from '../support/processes/beckon.ts'
import { until } from '../support/until.ts'

const MINUTE_MS = 60_000
const OFF_MS = 5 * MINUTE_MS
const BRAND = { 'x-brand-id': 'acme', 'x-api-key': 'a key of this test' } as const

/** A Beckon on a machine whose clock is off. */
async function startOff(context: TestContext, url: string, offMs: number): Promise<RunningBeckon> {
  const script = `const{now}=Date;Date.now=()=>now()+${offMs}`
  return startBeckon(context, {
    DATABASE_URL: url,
    BECKON_DATA_DIR: await freshFolder(context),
    BECKON_SECRET: 's'.repeat(32),
    BECKON_BRAND_ID: BRAND['x-brand-id'],
    BECKON_API_KEY: BRAND['x-api-key'],
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}`,
  })
}

async function post({ url }: RunningBeckon, path: string, body: object): Promise<string> {
  const headers = { ...BRAND, 'content-type': 'application/json' }
  const reply = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await reply.text()
  assert.equal(reply.status, 200, text)
  return text
}

/** The condition that an instant is near the database's own. */
function near(column: string): string {
  return `abs(extract(epoch from clock_timestamp() - ${column})) < ${MINUTE_MS / 1_000}`
}

test('machines whose clocks are ten minutes apart agree on what came first', async (context) => {
  const { url, drop } = await emptyDatabase()
  endWith(context, drop)
  const ahead = await startOff(context, url, OFF_MS)
  const behind = await startOff(context, url, -OFF_MS)
  await post(behind, '/api/v1/user/create', { nv: [{ userID: 'ann' }] })
  const journey = { name: 'Hello', trigger: { event: 'began' }, steps: [{ id: 'pause', wait: { days: 1 } }] }
  const id = /"journey_id":"?(\d+)/.exec(await post(ahead, '/api/v1/journeys', journey))?.[1]
  await post(ahead, `/api/v1/journeys/${id}/activate`, {})
  await post(behind, '/api/event', { nv: [{ userID: 'ann', event_name: 'began', attributes: {} }] })
  const count = async (sql: string): Promise<number> =>
    withOwner(url, async (owner) => (await owner.query(sql)).count)
  assert.equal(await count(`select from events where ${near('event_at')}`), 1)
  assert.equal(await count(`select from journeys where ${near('created_at')} and ${near('active_since')}`), 1)
  await until(async () => (await count('select from enrolments')) === 1, { what: 'a person in the journey' })
})
