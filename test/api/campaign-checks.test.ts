import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isJsonObject, type JsonObject } from '../../src/domain/values/json.ts'
import { withOwner } from '../../src/store/db.ts'
import { pauseChannel, resumeChannel } from '../../src/store/push/channels.ts'
import { holdSending, resumeSending } from '../../src/store/push/sending-hold.ts'
import { type Asked, DRAFT, seenAt, startChains } from '../support/campaigns/check-chains.ts'
import { call, keyHeaders } from '../support/processes/server.ts'
import { assertRefusalDocumented } from '../support/reference/documented.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { until } from '../support/until.ts'

const chains = await startChains()
after(chains.close)
const { server, database, campaigns, explain, brandWithAnn, register, change, untilSent } = chains

/** `HH:MM` by the clock of UTC, so many hours from now. */
function clockIn(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)
}

test('a chain without a stop is green to its end, for everyone on all platforms', async () => {
  const brand = await brandWithAnn()
  const chain = await explain(brand, { userId: 'ann' })
  assert.deepEqual([chain.failed, chain.waits], [null, []])
  assert.match(seenAt(chain, 'person'), /"person_known".*ann/)
  assert.match(seenAt(chain, 'audience'), /"for_everyone"/)
})

test('person, device, subscribed and audience turn red in turn, with what they saw', async () => {
  const brand = await brandWithAnn()
  const failing = async (asked: Asked, code: string) => {
    const chain = await explain(brand, asked)
    assert.match(seenAt(chain, chain.failed ?? ''), new RegExp(`"${code}"`))
    return chain.failed
  }
  assert.equal(await failing({ userId: 'nobody' }, 'person_unknown'), 'person')
  assert.equal(await failing({ userId: 'ann', draft: { platforms: ['ios'] } }, 'never_subscribed'), 'device')

  const about = async (audience: JsonObject, code: string) =>
    failing({ userId: 'ann', draft: { audience } }, code)
  assert.equal(await about({ tag: 'vip' }, 'tag_missing'), 'audience')
  const filter = { attribute: 'city', is: 'eq', value: 'Ulm' }
  assert.equal(await about({ filter }, 'not_in_filter'), 'audience')
  const made = await call(server.port, {
    path: '/api/v1/segments',
    headers: keyHeaders(brand),
    body: { name: 'In Ulm', filter },
  })
  const { segment } = made.body
  assert.ok(isJsonObject(segment))
  assert.equal(await about({ segment_id: Number(segment['segment_id']) }, 'not_in_segment'), 'audience')
  assert.equal(await about({ users: ['bob'] }, 'not_listed'), 'audience')
  assert.equal(
    (await explain(brand, { userId: 'ann', draft: { audience: { users: ['ann'] } } })).failed,
    null,
  )

  await database.query(
    `update subscriptions set is_virtual = true, virtual_kind = 'android', virtual_name = 'Pixel' where brand_id = $1`,
    [brand.brandId],
  )
  assert.equal(await failing({ userId: 'ann' }, 'only_virtual_devices'), 'subscribed')
  assert.equal(
    (await explain(brand, { userId: 'ann', draft: { include_virtual_devices: true } })).failed,
    null,
  )
  await database.query(
    `update subscriptions set state = 'gone', is_virtual = false, virtual_kind = null, virtual_name = null where brand_id = $1`,
    [brand.brandId],
  )
  assert.equal(await failing({ userId: 'ann' }, 'no_live_subscription'), 'subscribed')
})

test('the device that was used last, the groups and another campaign turn red', async () => {
  const brand = await brandWithAnn()
  const { brandId } = brand
  const sent = await campaigns.launched(brand, { platforms: ['android'] })
  await untilSent(brand, sent)
  const except = { everyone: true, except: { campaign_id: Number(sent) } }
  const spared = await explain(brand, { userId: 'ann', draft: { audience: except } })
  assert.match(seenAt(spared, 'audience'), /"got_other_campaign"/)

  await register(brand, { userId: 'ann', platform: 'ios' })
  await database.query(
    `update subscriptions set registered_at = now() + interval '1 minute' where brand_id = $1 and platform = 'ios'`,
    [brandId],
  )
  const latest = { platforms: ['android'], reach: 'latest_device' }
  assert.equal((await explain(brand, { userId: 'ann', draft: latest })).failed, 'latest_device')

  const held = { platforms: ['android'], holdout_percent: 50 }
  const unstored = await explain(brand, { userId: 'ann', draft: held })
  assert.match(seenAt(unstored, 'group'), /"group_not_drawn"/)
  await change(brand, 'control_percent = 20')
  const people = Array.from({ length: 60 }, (_, at) => `u${at}`)
  for (const userId of people) await seedSubscriptions(database, { brandId, userId })
  const campaign = await campaigns.made(brand, held)
  const codes = new Set<string>()
  for (const userId of people) {
    const chain = await explain(brand, { userId, campaign })
    assert.ok(chain.failed === null || chain.failed === 'group')
    codes.add(/"code":"(\w+)"/.exec(seenAt(chain, 'group'))?.[1] ?? '')
  }
  assert.deepEqual([...codes].toSorted(), ['held_out', 'in_control_group', 'not_held_out'])
})

test('an opt-out, quiet hours and the frequency cap turn red, as of the time the message is due', async () => {
  const brand = await brandWithAnn()
  const { brandId } = brand
  await change(brand, 'has_opt_outs = true')
  await database.query(
    `update profiles set opt_outs = '{"*": "2026-05-01T10:00:00.000Z"}' where brand_id = $1`,
    [brandId],
  )
  const silent = await explain(brand, { userId: 'ann' })
  assert.equal(silent.failed, 'topic')
  assert.match(seenAt(silent, 'topic'), /2026-05-01T10:00/)
  assert.equal((await explain(brand, { userId: 'ann', draft: { topic: 'transactional' } })).failed, null)
  await database.query(`update profiles set opt_outs = '{}' where brand_id = $1`, [brandId])

  const quiet = (inside: string) => {
    const hours = JSON.stringify({ from: clockIn(-2), until: clockIn(2), inside })
    return change(brand, `quiet_hours = '${hours}'`)
  }
  await quiet('drop')
  assert.equal((await explain(brand, { userId: 'ann' })).failed, 'quiet_hours')
  const later = new Date(Date.now() + 5 * 3_600_000).toISOString()
  const draft = { schedule_date: later.slice(0, 10), schedule_time: later.slice(11, 16), time_zone: 'UTC' }
  assert.equal((await explain(brand, { userId: 'ann', draft })).failed, null, 'it is due when they are over')
  await quiet('later')
  const waiting = await explain(brand, { userId: 'ann' })
  assert.deepEqual([waiting.failed, waiting.waits], [null, ['quiet_hours']])
  const { until: end } = waiting.checks.find(({ check }) => check === 'quiet_hours') ?? {}
  assert.ok(Date.parse(String(end)) > Date.now())
  await change(brand, 'quiet_hours = null, frequency_cap = 1')

  assert.equal((await explain(brand, { userId: 'ann' })).failed, null)
  const first = await campaigns.launched(brand, { platforms: ['android'] })
  await untilSent(brand, first)
  const capped = await explain(brand, { userId: 'ann' })
  assert.equal(capped.failed, 'frequency_cap')
  assert.match(seenAt(capped, 'frequency_cap'), /already got 1 notifications, and the brand allows 1/)
  assert.equal((await explain(brand, { userId: 'ann', draft: { ignore_frequency_cap: true } })).failed, null)
})

test('a time on the clock of the device that passed long ago turns red', async () => {
  const brand = await brandWithAnn()
  const past = new Date(Date.now() - 2 * 3_600_000).toISOString()
  const when = {
    schedule_date: past.slice(0, 10),
    schedule_time: past.slice(11, 16),
    time_zone: 'subscriber',
  }
  const content = { ...DRAFT.content, ttl_seconds: 600 }
  assert.equal((await explain(brand, { userId: 'ann', draft: { ...when, content } })).failed, 'due')
  assert.equal((await explain(brand, { userId: 'ann', draft: when })).failed, null, 'it waits for three days')
})

test('a paused channel, a hold and an approval turn red', async () => {
  const brand = await brandWithAnn()
  const ref = { brandId: brand.brandId, platform: 'android', version: 0 } as const
  const becomes = async (failed: string | null) => {
    await until(async () => (await explain(brand, { userId: 'ann' })).failed === failed, {
      what: `the chain stops at ${failed ?? 'nothing'}`,
    })
  }
  await pauseChannel(database, { ...ref, reason: 'invalid_grant', pauseMs: 60_000 })
  await becomes('channel')
  await resumeChannel(database, ref)
  await becomes(null)
  await holdSending(database)
  await becomes('sending')
  await resumeSending(database)
  await becomes(null)

  await register(brand, { userId: 'bob' })
  const { body } = await call(server.port, {
    path: '/api/v1/brand/keys',
    headers: keyHeaders(brand),
    body: { kind: 'secret', scopes: ['push'] },
  })
  const { key } = body
  assert.ok(isJsonObject(key))
  const sender = { ...brand, secretKey: String(key['api_key']) }
  await change(brand, 'approval_above = 1')
  const approver = await explain(brand, { userId: 'ann' })
  assert.match(seenAt(approver, 'approval'), /"approver_launches"/)
  const guarded = await explain(sender, { userId: 'ann' })
  assert.equal(guarded.failed, 'approval')
  assert.match(seenAt(guarded, 'approval'), /for 2 people, and approval_above is 1/)
  assert.equal(
    (await explain(sender, { userId: 'ann', draft: { audience: { users: ['ann'] } } })).failed,
    null,
  )
})

test('an audience is not counted for a person whom an earlier check stops', async () => {
  const brand = await brandWithAnn()
  await change(brand, 'approval_above = 1')
  await withOwner(server.url, async (owner) => {
    // Counting would wait for the lock.
    await owner.query('begin; lock table subscriptions in access exclusive mode')
    const chain = await explain(brand, { userId: 'nobody' })
    assert.equal(chain.failed, 'person')
    await owner.query('rollback')
  })
})

test('400 and 404 for a document that cannot be read, and for a campaign that nobody knows', async () => {
  const brand = await brandWithAnn()
  const ask = async (path: string, body?: JsonObject) => {
    const headers = keyHeaders(brand)
    const answer = await call(server.port, {
      method: 'POST',
      path: `/api/v1/campaigns${path}`,
      headers,
      ...(body === undefined ? {} : { body }),
    })
    return answer
  }
  const nobody = await ask('/explain', DRAFT)
  assert.equal(nobody.status, 400)
  assertRefusalDocumented({ method: 'POST', path: '/api/v1/campaigns/explain' }, nobody)
  assert.equal((await ask('/explain', { ...DRAFT, user_id: 'ann', content: { title: 'Teas' } })).status, 400)
  assert.equal((await ask('/explain', { ...DRAFT, user_id: 'ann', topic: 'unheard-of' })).status, 400)
  assert.equal((await ask('/999999/explain?user_id=ann')).status, 404)
  const mine = await campaigns.made(brand)
  const other = await brandWithAnn()
  const foreign = await call(server.port, {
    method: 'POST',
    path: `/api/v1/campaigns/${mine}/explain?user_id=ann`,
    headers: keyHeaders(other),
  })
  assert.equal(foreign.status, 404)
  const { rows } = await database.query('select from campaigns where brand_id = $1', [brand.brandId])
  assert.equal(rows.length, 1, 'an explanation stores nothing')
})
