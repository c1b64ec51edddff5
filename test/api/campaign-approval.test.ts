import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import type { Scope } from '../../src/rules/brand.ts'
import { revokeKey } from '../../src/store/brand/api-keys.ts'
import { CampaignCalls, campaignIn } from '../support/campaigns/calls.ts'
import type { TestBrand } from '../support/database/database.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'
import { codesIn } from '../support/push/calls.ts'
import { drain } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { listIn } from '../support/subscriptions/virtual-desk.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps
const campaigns = new CampaignCalls(server)

type Member = TestBrand & { readonly keyId: number }

/** A key of the brand with these scopes alone. */
async function keyWith(brand: TestBrand, scopes: readonly Scope[]): Promise<Member> {
  const path = '/api/v1/brand/keys'
  const { body } = await call(server.port, {
    path,
    headers: keyHeaders(brand),
    body: { kind: 'secret', scopes },
  })
  const { key } = body
  assert.ok(isJsonObject(key))
  return { ...brand, secretKey: String(key['api_key']), keyId: Number(key['id']) }
}

async function setAbove(brand: TestBrand, approval_above: number | null) {
  const headers = keyHeaders(brand)
  return call(server.port, { method: 'PATCH', path: '/api/v1/brand', headers, body: { approval_above } })
}

/** A brand with two people, where a campaign to more than one needs approval. */
async function guardedBrand() {
  const owner = await server.brand()
  const { brandId } = owner
  await seedSubscriptions(database, { brandId, userId: 'ann', count: 2 })
  await seedSubscriptions(database, { brandId, userId: 'bob', tags: ['vip'] })
  assert.equal((await setAbove(owner, 1)).status, 200)
  const [asker, approver] = [
    await keyWith(owner, ['push', 'brand']),
    await keyWith(owner, ['push', 'approve']),
  ]
  return { owner, asker, approver }
}

test('a launch above the number waits for another key; nothing leaves before it consents', async () => {
  const { asker, approver } = await guardedBrand()
  const id = await campaigns.launched(asker, { platforms: ['android'] })
  const waiting = await campaigns.read(asker, id)
  assert.deepEqual(
    [waiting['state'], waiting['requested_by'], waiting['people'], waiting['notifications']],
    ['awaiting_approval', `key:${asker.keyId}`, 2, []],
  )
  assert.equal((await campaigns.act(asker, id, 'launch')).status, 200)
  assert.deepEqual(await drain(database), [])
  const lacking = await campaigns.act(asker, id, 'approve')
  assert.deepEqual([lacking.status, codesIn(lacking)], [403, ['scope_missing']])
  const approved = campaignIn(await campaigns.act(approver, id, 'approve'))
  assert.deepEqual([approved['state'], approved['approved_by']], ['sending', `key:${approver.keyId}`])
  assert.equal((await drain(database)).length, 3)
  assert.deepEqual(codesIn(await campaigns.act(approver, id, 'approve')), ['campaign_state'])
})

test('explain says that a campaign awaits consent and for how many, and after a refusal that it is a draft', async () => {
  const { asker, approver } = await guardedBrand()
  const id = await campaigns.launched(asker, { platforms: ['android'] })
  const path = `/api/v1/explain?user_id=ann&campaign=${id}`
  const explained = async () => {
    const { explanation } = (await call(server.port, { path, headers: keyHeaders(asker) })).body
    assert.ok(isJsonObject(explanation))
    return [explanation['is_reached'], sentencesIn(explanation)]
  }
  const told = async (code: string, message: string) =>
    assert.deepEqual(await explained(), [false, [{ code, message }]])
  await told(
    'campaign_awaits_approval',
    'The campaign awaits a second consent: it is for 2 people, and the brand’s approval_above is 1.',
  )
  await campaigns.act(approver, id, 'refuse')
  await told('campaign_not_launched', 'The campaign is draft, so nothing was sent yet.')
  await campaigns.act(asker, id, 'launch')
  await campaigns.act(approver, id, 'approve')
  await drain(database)
  const [isReached, reasons] = await explained()
  assert.equal(isReached, true)
  assert.match(JSON.stringify(reasons), /"accepted"/)
})

test('explain names the author who has to ask, where the number demands nothing', async () => {
  const { owner } = await guardedBrand()
  const author = await keyWith(owner, ['draft'])
  const id = await campaigns.launched(author, { platforms: ['android'] })
  for (const [above, value] of [
    [5, '5'],
    [null, 'not set'],
  ] as const) {
    await setAbove(owner, above)
    const path = `/api/v1/explain?user_id=ann&campaign=${id}`
    const { explanation } = (await call(server.port, { path, headers: keyHeaders(owner) })).body
    assert.ok(isJsonObject(explanation))
    const message = `The campaign awaits a second consent, because key:${author.keyId} asked for it. It is for 2 people, and the brand’s approval_above is ${value}, which does not demand it today: the requester may not launch, or the number was another one then.`
    assert.deepEqual(sentencesIn(explanation), [{ code: 'campaign_awaits_consent', message }])
  }
})

function sentencesIn(explanation: JsonObject): readonly object[] {
  return listIn(explanation, 'reasons').map(({ code, message }) => ({ code, message }))
}

test('up to the number, and with the scope approve, a launch asks nobody', async () => {
  const { asker, approver } = await guardedBrand()
  const small = await campaigns.launched(asker, { platforms: ['android'], audience: { tag: 'vip' } })
  assert.equal((await campaigns.read(asker, small))['state'], 'sending')
  const own = await campaigns.launched(approver, { platforms: ['android'] })
  assert.equal((await campaigns.read(approver, own))['state'], 'sending')
  await drain(database)
})

test('403 for an approval by the key that asked, whatever scopes it has by now', async () => {
  const { asker, approver } = await guardedBrand()
  const id = await campaigns.launched(asker, { platforms: ['android'] })
  await database.query('update campaigns set requested_by = $3 where brand_id = $1 and id = $2', [
    asker.brandId,
    id,
    `key:${approver.keyId}`,
  ])
  for (const action of ['approve', 'refuse']) {
    const answer = await campaigns.act(approver, id, action)
    assert.deepEqual([answer.status, codesIn(answer)], [403, ['approval_own']])
  }
  assert.equal((await campaigns.read(asker, id))['state'], 'awaiting_approval')
})

test('401 for an approval by a revoked key, also in a process that remembers it as live', async () => {
  const { owner, asker, approver } = await guardedBrand()
  const id = await campaigns.launched(asker, { platforms: ['android'] })
  const { brandId } = owner
  // Written without the notice that processes listen for, so that this one still remembers the key.
  assert.equal((await campaigns.act(approver, '999', 'approve')).status, 404)
  await database.query('update api_keys set revoked_at = now() where brand_id = $1 and id = $2', [
    brandId,
    approver.keyId,
  ])
  assert.equal((await campaigns.act(approver, id, 'approve')).status, 401)
  await revokeKey(database, { brandId, keyId: asker.keyId, now: Date.now() })
  assert.equal((await campaigns.read(owner, id))['state'], 'awaiting_approval')
  assert.deepEqual(await drain(database), [])
})

test('a refusal and a change make the campaign a draft again, and the next launch asks anew', async () => {
  const { owner, asker, approver } = await guardedBrand()
  const id = await campaigns.launched(asker, { platforms: ['android'] })
  const refused = campaignIn(await campaigns.act(approver, id, 'refuse'))
  assert.deepEqual(
    [refused['state'], refused['reason'], refused['requested_by']],
    ['draft', 'approval_refused', null],
  )
  await campaigns.act(asker, id, 'launch')
  const changed = campaignIn(await campaigns.change(owner, id, { version: 1, name: 'Other' }))
  assert.deepEqual([changed['state'], changed['requested_by']], ['draft', null])
  assert.deepEqual(codesIn(await campaigns.act(approver, id, 'approve')), ['campaign_state'])
  await campaigns.act(asker, id, 'launch')
  assert.deepEqual(codesIn(await campaigns.act(approver, id, 'approve?version=1')), ['campaign_version'])
  assert.equal((await campaigns.act(asker, id, 'cancel')).status, 200)
})

test('a scheduled campaign that is changed to a larger audience asks anew, and its old messages do not leave', async () => {
  const { asker, approver } = await guardedBrand()
  const small = { platforms: ['android'], audience: { tag: 'vip' }, undo_seconds: 60 }
  const id = await campaigns.launched(asker, small)
  const changed = campaignIn(await campaigns.change(asker, id, { version: 1, audience: { everyone: true } }))
  assert.deepEqual([changed['state'], changed['notifications']], ['awaiting_approval', []])
  assert.deepEqual(await drain(database, { now: Date.now() + 120_000 }), [])
  await campaigns.act(approver, id, 'approve')
  assert.equal((await drain(database, { now: Date.now() + 120_000 })).length, 3)
})

test('403 for a change of approval_above by a key without the scope approve', async () => {
  const { asker, owner } = await guardedBrand()
  assert.deepEqual(codesIn(await setAbove(asker, null)), ['scope_missing'])
  const path = '/api/v1/brand/keys'
  const minted = { kind: 'secret', scopes: ['approve'] }
  const answer = await call(server.port, { path, headers: keyHeaders(asker), body: minted })
  assert.deepEqual(codesIn(answer), ['scope_missing'])
  assert.equal((await setAbove(owner, null)).status, 200)
})

test('404 for an approval and a refusal of another brand’s campaign', async () => {
  const { asker } = await guardedBrand()
  const id = await campaigns.launched(asker, { platforms: ['android'] })
  const { approver } = await guardedBrand()
  for (const action of ['approve', 'refuse'])
    assert.deepEqual(codesIn(await campaigns.act(approver, id, action)), ['campaign_not_found'], action)
  assert.equal((await campaigns.read(asker, id))['state'], 'awaiting_approval')
})

test('the scope draft alone asks, however few the people are, and the scope consent lets it go', async () => {
  const owner = await server.brand()
  await seedSubscriptions(database, { brandId: owner.brandId, userId: 'ann' })
  const [author, other] = [await keyWith(owner, ['draft', 'push:read']), await keyWith(owner, ['consent'])]
  const id = await campaigns.launched(author, { platforms: ['android'] })
  assert.equal((await campaigns.read(author, id))['state'], 'awaiting_approval')
  assert.deepEqual(await drain(database), [])
  assert.deepEqual(codesIn(await campaigns.act(author, id, 'approve')), ['scope_missing'])
  assert.equal(campaignIn(await campaigns.act(other, id, 'approve'))['state'], 'sending')
  assert.equal((await drain(database)).length, 1)
})

test('403 for a change of a scheduled campaign by the scope draft alone', async () => {
  const owner = await server.brand()
  await seedSubscriptions(database, { brandId: owner.brandId, userId: 'ann' })
  const author = await keyWith(owner, ['draft'])
  const id = await campaigns.launched(owner, { platforms: ['android'], undo_seconds: 60 })
  const changed = await campaigns.change(author, id, { version: 1, name: 'Other' })
  assert.deepEqual([changed.status, codesIn(changed)], [403, ['scope_missing']])
  assert.equal((await campaigns.read(owner, id))['state'], 'scheduled')
  assert.equal((await campaigns.change(owner, id, { version: 1, name: 'Other' })).status, 200)
  await campaigns.act(owner, id, 'cancel')
})
