import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { planBroadcast } from '../../src/delivery/planner.ts'
import { CAMPAIGN_LIMITS } from '../../src/rules/campaigns.ts'
import { claimPlans } from '../../src/store/push/planning.ts'
import { CampaignCalls, campaignIn } from '../support/campaigns/calls.ts'
import { startServer } from '../support/processes/server.ts'
import { codesIn } from '../support/push/calls.ts'
import { drain, planDue } from '../support/push/drain.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

let skew = 0
const clock = { now: () => Date.now() + skew }
const server = await startServer({ clock })
after(server.close)
const { database } = server.deps
const campaigns = new CampaignCalls(server)

test('200 for a campaign on two platforms: one notification for each, with its own content', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId, platform: 'ios', count: 2, userId: 'ann' })
  await seedSubscriptions(database, { brandId, platform: 'web', userId: 'ann' })
  await seedSubscriptions(database, { brandId, platform: 'android' })
  const made = await campaigns.create(mine, {
    platforms: ['ios', 'web'],
    ios: { title: 'Tea', sound: 'bell.caf' },
  })
  assert.equal(made.status, 200)
  const { campaign_id: id, state, version, notifications } = campaignIn(made)
  assert.deepEqual([state, version, notifications], ['draft', 1, []])

  const launched = campaignIn(await campaigns.act(mine, String(id), 'launch'))
  assert.deepEqual([launched['state'], launched['people'], launched['devices']], ['sending', 1, 3])
  const drained = await drain(database)
  assert.deepEqual(
    drained.map(({ chunk }) => `${chunk.platform} ${chunk.content.title} ${chunk.content.sound}`).toSorted(),
    ['ios Tea bell.caf', 'ios Tea bell.caf', 'web Teas null'],
  )
  const read = await campaigns.read(mine, String(id))
  assert.deepEqual([read['accepted'], read['pending']], [3, 0])
})

test('404 for a campaign of another brand, whatever is asked of it', async () => {
  const [mine, other] = [await server.brand(), await server.brand()]
  const id = await campaigns.made(other)
  assert.deepEqual(await campaigns.read(mine, id), {})
  for (const action of ['launch', 'cancel', 'archive', 'duplicate', 'dry_run']) {
    const answer = await campaigns.act(mine, id, action)
    assert.deepEqual([answer.status, codesIn(answer)], [404, ['campaign_not_found']], action)
  }
  assert.equal((await campaigns.change(mine, id, { version: 1, name: 'x' })).status, 404)
  const results = await campaigns.results(mine, id)
  assert.deepEqual([results.status, codesIn(results)], [404, ['campaign_not_found']])
  const except = await campaigns.create(mine, {
    audience: { everyone: true, except: { campaign_id: Number(id) } },
  })
  assert.deepEqual(codesIn(except), ['campaign_not_found'])
})

test('400 names each flaw by its place in the document', async () => {
  const mine = await server.brand()
  const flawed = await campaigns.create(mine, {
    audience: { everyone: true, tag: 'x' },
    platforms: ['ios', 'tv'],
    content: { message: 'Hello', titel: 'Teas' },
    ios: { title: 'x'.repeat(71) },
    undo_seconds: 61,
  })
  assert.equal(flawed.status, 400)
  const misspelt = await campaigns.create(mine, { audiences: { everyone: true } })
  assert.deepEqual(codesIn(misspelt), ['unknown_field'])
  const { errors } = (await campaigns.create(mine, { platforms: ['ios', 'tv'] })).body
  assert.match(JSON.stringify(errors), /"field":"platforms"/)
  const nested = await campaigns.create(mine, { content: { message: 'x', titel: 'y' }, web: { title: 'z' } })
  assert.match(JSON.stringify(nested.body['errors']), /"field":"content.titel".*"field":"content.title"/)
  const long = await campaigns.create(mine, { ios: { title: 'x'.repeat(71) } })
  assert.match(JSON.stringify(long.body['errors']), /"field":"ios.title"/)
  const unknown = await campaigns.create(mine, { audience: { segment_id: 99 } })
  assert.deepEqual(codesIn(unknown), ['segment_not_found'])
})

test('409 for the second of two editors who read the same version', async () => {
  const mine = await server.brand()
  const id = await campaigns.made(mine)
  const [first, second] = await Promise.all([
    campaigns.change(mine, id, { version: 1, name: 'First' }),
    campaigns.change(mine, id, { version: 1, name: 'Second' }),
  ])
  assert.deepEqual(new Set([first.status, second.status]), new Set([200, 409]))
  const late = [first, second].find(({ status }) => status === 409)
  assert.ok(late !== undefined)
  assert.deepEqual(codesIn(late), ['campaign_version'])
  assert.equal((await campaigns.read(mine, id))['version'], 2)
  const stale = await campaigns.act(mine, id, 'launch?version=1')
  assert.deepEqual(codesIn(stale), ['campaign_version'])
})

test('200 for a change of a scheduled campaign: only the new text leaves, at the new time', async () => {
  const mine = await server.brand()
  await seedSubscriptions(database, { brandId: mine.brandId })
  const id = await campaigns.launched(mine, { platforms: ['android'], undo_seconds: 60 })
  const answer = await campaigns.change(mine, id, { version: 1, content: { title: 'New', message: 'text' } })
  const changed = campaignIn(answer)
  assert.deepEqual([answer.status, changed['state'], changed['version']], [200, 'scheduled', 2])
  assert.equal(Array.isArray(changed['notifications']) ? changed['notifications'].length : 0, 1)
  assert.deepEqual(await drain(database), [])
  const drained = await drain(database, { now: Date.now() + 61_000 })
  assert.deepEqual(
    drained.map(({ chunk }) => chunk.content.title),
    ['New'],
  )
})

test('undo up to the last millisecond: nothing leaves; from the instant on it is too late to change', async () => {
  const mine = await server.brand()
  await seedSubscriptions(database, { brandId: mine.brandId })
  const undone = await campaigns.launched(mine, { platforms: ['android'], undo_seconds: 60 })
  const kept = await campaigns.launched(mine, { platforms: ['android'], undo_seconds: 60 })
  const sendAt = Date.parse(String((await campaigns.read(mine, undone))['send_at']))
  await planDue(database, sendAt - 1)
  const cancelled = await campaigns.act(mine, undone, 'cancel')
  assert.deepEqual([cancelled.status, campaignIn(cancelled)['state']], [200, 'cancelled'])
  const later = Date.parse(String((await campaigns.read(mine, kept))['send_at']))
  await planDue(database, later)
  const change = await campaigns.change(mine, kept, { version: 1, content: { title: 'x', message: 'y' } })
  assert.deepEqual([change.status, codesIn(change)], [409, ['campaign_state']])
  const drained = await drain(database, { now: later })
  assert.equal(drained.length, 1)
  assert.equal((await campaigns.read(mine, undone))['accepted'], 0)
})

test('a change and a cancel raced against the planner: all of the old text, all of the new one, or nothing', async () => {
  const mine = await server.brand()
  await seedSubscriptions(database, { brandId: mine.brandId, count: 3 })
  await seedSubscriptions(database, { brandId: mine.brandId, platform: 'ios', count: 3 })
  for (let round = 0; round < 12; round += 1) {
    const id = await campaigns.launched(mine, { platforms: ['android', 'ios'], undo_seconds: 1 })
    const sendAt = Date.parse(String((await campaigns.read(mine, id))['send_at']))
    const claims = await claimPlans(database, { count: 10, leaseMs: 60_000, now: sendAt })
    const isCancel = round % 2 === 0
    const edit = { version: 1, content: { title: 'New', message: 'text' } }
    const [answer] = await Promise.all([
      isCancel ? campaigns.act(mine, id, 'cancel') : campaigns.change(mine, id, edit),
      ...claims.map(async (claim) => planBroadcast(database, claim, { now: sendAt })),
    ])
    const drained = await drain(database, { now: sendAt + 60_000 })
    const titles = [...new Set(drained.map(({ chunk }) => chunk.content.title))]
    if (isCancel) {
      assert.equal(answer.status, 200)
      assert.equal(drained.length, 0)
    } else {
      assert.deepEqual(titles, [answer.status === 200 ? 'New' : 'Teas'], answer.text)
      assert.equal(drained.length, 6)
    }
  }
})

test('409 for a launch of a cancelled campaign and for a cancel of a sent one', async () => {
  const mine = await server.brand()
  const cancelled = await campaigns.made(mine)
  assert.equal((await campaigns.act(mine, cancelled, 'cancel')).status, 200)
  assert.equal((await campaigns.act(mine, cancelled, 'cancel')).status, 200)
  assert.deepEqual(codesIn(await campaigns.act(mine, cancelled, 'launch')), ['campaign_state'])
  await seedSubscriptions(database, { brandId: mine.brandId })
  const sent = await campaigns.launched(mine, { platforms: ['android'] })
  assert.deepEqual(codesIn(await campaigns.act(mine, sent, 'archive')), ['campaign_state'])
  await drain(database)
  assert.deepEqual(codesIn(await campaigns.act(mine, sent, 'cancel')), ['campaign_state'])
})

test('200 for a duplicate, with the list of people; and for a list by state, text, tag, time and archive', async () => {
  const mine = await server.brand()
  const from = new Date(clock.now() - 1000).toISOString()
  const id = await campaigns.made(mine, {
    name: 'Autumn Teas',
    tags: ['tea'],
    audience: { users: ['a', 'b'] },
  })
  await campaigns.made(mine, { name: 'Coffee' })
  const copy = campaignIn(await campaigns.act(mine, id, 'duplicate'))
  assert.deepEqual([copy['name'], copy['state'], copy['version']], ['Autumn Teas (copy)', 'draft', 1])
  assert.deepEqual(copy['audience'], { users: { listed: 2 } })
  const names = async (query: string) => (await campaigns.list(mine, query)).map(({ name }) => name)
  assert.deepEqual(await names(''), ['Autumn Teas (copy)', 'Coffee', 'Autumn Teas'])
  assert.deepEqual(await names('?text=autumn%20t'), ['Autumn Teas (copy)', 'Autumn Teas'])
  for (const text of ['%', 'Autumn_Teas', 'teas\\'])
    assert.deepEqual(await names(`?text=${encodeURIComponent(text)}`), [], text)
  assert.deepEqual(await names(`?text=${encodeURIComponent('ﬀee')}`), ['Coffee'])
  assert.deepEqual(await names('?tag=tea&limit=1'), ['Autumn Teas (copy)'])
  assert.deepEqual(await names(`?to=${from}`), [])
  assert.equal((await names(`?from=${from}`)).length, 3)
  await campaigns.act(mine, id, 'cancel')
  assert.deepEqual(await names('?state=cancelled'), ['Autumn Teas'])
  await campaigns.act(mine, id, 'archive')
  assert.deepEqual(await names('?archived=true'), ['Autumn Teas'])
  assert.deepEqual(codesIn(await campaigns.act(mine, id, 'launch')), ['campaign_state'])
})

test('200 for a dry run: people, devices and the payload of each platform, and nothing is stored', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId, platform: 'ios', count: 2, userId: 'ann' })
  await seedSubscriptions(database, { brandId, platform: 'web', userId: 'ann' })
  await seedSubscriptions(database, { brandId, platform: 'web' })
  const content = { title: 'For {{ user.user_id | default: "you" }}', message: 'Six new ones.' }
  const id = await campaigns.made(mine, { platforms: ['ios', 'web'], content })
  const { status, body } = await campaigns.act(mine, id, 'dry_run')
  assert.deepEqual([status, body['people'], body['devices']], [200, 2, 4])
  const { platforms } = body
  const shown = JSON.stringify(platforms)
  assert.match(shown, /"ios":\{"people":1,"devices":2,"payload":.*For ann/)
  assert.match(shown, /"web":\{"people":2,"devices":2,/)
  assert.deepEqual(await drain(database), [])
})

test('200 for a dry run for a person, a language and a variant, with the people who are left out', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId, platform: 'web', userId: 'ann' })
  await seedSubscriptions(database, { brandId, platform: 'web', userId: 'bea' })
  await seedSubscriptions(database, { brandId, platform: 'android', userId: 'cleo' })
  await database.query(
    `update profiles as p set opt_outs = '{"*":"2026-01-01T00:00:00Z"}' from profile_identities as i
     where p.brand_id = $1 and i.brand_id = $1 and i.profile_id = p.id and i.value = 'bea'`,
    [brandId],
  )
  await database.query('update brands set has_opt_outs = true, frequency_cap = 1 where id = $1', [brandId])
  await database.query(
    `insert into frequency_days (brand_id, profile_id, day, notification_ids)
     select brand_id, profile_id, (now() at time zone 'UTC')::date + past, array[gen_random_uuid()]
     from profile_identities cross join generate_series(-1, 1) as past where brand_id = $1 and value = 'ann'`,
    [brandId],
  )
  const id = await campaigns.made(mine, {
    platforms: ['web'],
    content: { title: 'For {{ user.user_id }}', message: 'Teas' },
    languages: { fr: { title: 'Pour {{ user.user_id }}' } },
    variants: [
      { name: 'A', weight: 1 },
      { name: 'B', weight: 1, languages: { fr: { title: 'Chez {{ user.user_id }}' } } },
    ],
  })
  const first = await campaigns.act(mine, id, 'dry_run')
  assert.deepEqual(first.body['left_out'], { opted_out: 1, over_cap: 1, cap: 1 })
  const { body } = await campaigns.act(mine, id, 'dry_run?user_id=cleo&language=fr&variant=B')
  assert.match(JSON.stringify(body), /"shown":\{"title":"Chez cleo","message":"Teas",.*"language":"fr"/)
  const unknown = await campaigns.act(mine, id, 'dry_run?user_id=nobody')
  assert.deepEqual(codesIn(unknown), ['profile_not_found'])
  assert.deepEqual(codesIn(await campaigns.act(mine, id, 'dry_run?variant=C')), ['campaign_invalid'])
})

test('one pace over all platforms, in proportion to their audiences', async () => {
  const mine = await server.brand()
  const { brandId } = mine
  await seedSubscriptions(database, { brandId, platform: 'ios', count: 29 })
  await seedSubscriptions(database, { brandId, platform: 'web', count: 9 })
  const id = await campaigns.launched(mine, { platforms: ['ios', 'web'], per_second: 1, undo_seconds: 60 })
  const { rows } = await database.query<{ platform: string; pace: number }>(
    `select platform, per_second::float8 as pace from notifications where brand_id = $1 and campaign_id = $2
     order by platform`,
    [brandId, id],
  )
  assert.deepEqual(rows, [
    { platform: 'ios', pace: 0.75 },
    { platform: 'web', pace: 0.25 },
  ])
  await campaigns.act(mine, id, 'cancel')
})

test('a launch in the past is refused, and one at a time of each subscriber waits for it', async () => {
  const mine = await server.brand()
  const past = { schedule_date: '2020-01-01', schedule_time: '09:00' }
  const id = await campaigns.made(mine, past)
  assert.deepEqual(codesIn(await campaigns.act(mine, id, 'launch')), ['schedule_in_past'])
  const day = new Date(clock.now() + 7 * 86_400_000).toISOString().slice(0, 10)
  const later = { schedule_date: day, schedule_time: '09:00', time_zone: 'subscriber' }
  const scheduled = await campaigns.launched(mine, later)
  assert.equal((await campaigns.read(mine, scheduled))['state'], 'scheduled')
  skew = 0
  await campaigns.act(mine, scheduled, 'cancel')
})

test('409 beyond the number of campaigns, and archived ones do not count', async () => {
  const mine = await server.brand()
  await database.query(
    `insert into campaigns (brand_id, id, name, document, created_by, created_at, updated_at)
     select $1, 1000000 + at, 'x', '{}', 'key:1', now(), now() from generate_series(1, $2::integer) as given (at)`,
    [mine.brandId, CAMPAIGN_LIMITS.campaignsMax],
  )
  assert.deepEqual(codesIn(await campaigns.create(mine)), ['too_many_campaigns'])
  await database.query(`update campaigns set archived_at = now() where brand_id = $1 and id = 1000001`, [
    mine.brandId,
  ])
  assert.equal((await campaigns.create(mine)).status, 200)
})
