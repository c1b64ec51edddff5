import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { apiOf, runJourneysAt, startJourney } from '../support/journeys/runs.ts'
import { event, openBrowser, webBrand } from '../support/people/visitors.ts'
import { startServer } from '../support/processes/server.ts'

const server = await startServer()
const { deps, port } = server
after(server.close)

const JOURNEY = {
  trigger: { event: 'signup' },
  steps: [{ id: 'mark', set: { attribute: 'stage', value: 'new' } }],
}

test('200: an event of a page starts a journey for its own visitor, and for nobody else', async () => {
  const brand = await webBrand(server, { identity_verification: true })
  const api = apiOf(port, brand)
  await api('POST', '/api/v1/user/create', { nv: [{ userID: 'ann' }] })
  await startJourney(api, JOURNEY)
  const browser = await openBrowser(server, brand)
  await browser.tell(event('signup', { userID: 'ann' }), { do: 'user', userID: 'ann' }, event('signup'))
  await runJourneysAt(deps.database, brand.brandId, Date.now())
  const { rows } = await deps.database.query(
    `select i.kind, p.attributes from enrolments as e join profiles as p on p.brand_id = e.brand_id and p.id = e.profile_id
     join profile_identities as i on i.brand_id = p.brand_id and i.profile_id = p.id where e.brand_id = $1`,
    [brand.brandId],
  )
  assert.deepEqual(rows, [{ kind: 'visitor', attributes: { stage: 'new' } }])
})
