import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { groupOf } from '../../src/domain/campaigns/assignment.ts'
import { optOutOf } from '../../src/domain/preferences/opt-outs.ts'
import type { JsonObject } from '../../src/domain/values/json.ts'
import { PLATFORM_NAMES, type Platform } from '../../src/rules/platforms.ts'
import { TRIAL_GROUPS } from '../../src/rules/trials.ts'
import { createTopic } from '../../src/store/preferences/topics.ts'
import { CampaignCalls } from '../support/campaigns/calls.ts'
import type { TestBrand } from '../support/database/database.ts'
import { atLength } from '../support/length.ts'
import { startServer } from '../support/processes/server.ts'
import { acceptContent, drain, planDue } from '../support/push/drain.ts'

const server = await startServer()
after(server.close)
const { database } = server.deps
const campaigns = new CampaignCalls(server)

const DAY_MS = 86_400_000
const TAGS = fc.subarray(['tea', 'new'])
const OPT_OUTS = fc.constantFrom(
  {},
  {},
  {},
  { offers: '2026-01-01T00:00:00Z' },
  { '*': '2026-01-01T00:00:00Z' },
)
const DEVICE = fc.record({
  /** The person, by number; 0 for a device without one. */
  person: fc.integer({ min: 0, max: 6 }),
  platform: fc.constantFrom(...PLATFORM_NAMES),
  tags: TAGS,
  optOuts: OPT_OUTS,
  isLive: fc.constantFrom(true, true, true, false),
  registeredDaysAgo: fc.integer({ min: 0, max: 3 }),
  /** Whether it registers again between the plan and the send. */
  returns: fc.boolean(),
})
const PEOPLE = [1, 2, 3, 4, 5, 6]
const PERSON = fc.record({ tags: TAGS, optOuts: OPT_OUTS, isActive: fc.boolean() })
const WORLD = fc.record({
  devices: fc.array(DEVICE, { minLength: 1, maxLength: 16, size: 'max' }),
  people: fc.array(PERSON, { minLength: 6, maxLength: 6 }),
  controlPercent: fc.constantFrom(0, 0, 20),
})
/** Most are absent, so that audiences have people in them. */
const TAG = fc.constantFrom(null, null, null, null, 'tea', 'new')
/** A part of an audience, or of those who are left out. A segment is one with this tag. */
const NARROWED = fc.record({
  tag: TAG,
  segment: TAG,
  filter: TAG,
})
const CAMPAIGN = fc.record({
  audience: fc.record({
    narrowed: NARROWED,
    users: fc.oneof(
      fc.subarray(PEOPLE, { maxLength: 0 }),
      fc.subarray(PEOPLE, { maxLength: 0 }),
      fc.subarray(PEOPLE),
    ),
  }),
  except: fc.record({
    segment: TAG,
    filter: TAG,
    first: fc.constantFrom(false, false, true),
  }),
  platforms: fc.subarray([...PLATFORM_NAMES], { minLength: 1 }),
  isLatest: fc.boolean(),
  topic: fc.constantFrom(null, 'offers', 'transactional'),
  holdout: fc.constantFrom(0, 0, 50),
  weights: fc.constantFrom([], [1, 1], [0, 3, 1]),
  isBestHour: fc.boolean(),
})
type Device = typeof DEVICE extends fc.Arbitrary<infer Value> ? Value & { readonly id: bigint } : never
type World = typeof WORLD extends fc.Arbitrary<infer Value> ? Value : never
type Wish = typeof CAMPAIGN extends fc.Arbitrary<infer Value> ? Value : never
type Place = Omit<World, 'devices'> & {
  readonly brand: TestBrand
  readonly devices: readonly (Device & { readonly profile: bigint })[]
  readonly segments: ReadonlyMap<string, number>
}

/** Writes people and devices. Person 1 has the user id `u1`; the profile of a device without a person is minus its id. */
async function settleWorld({ devices, people, controlPercent }: World): Promise<Place> {
  const brand = await server.brand()
  const { brandId } = brand
  await database.query('update brands set control_percent = $2, has_opt_outs = true where id = $1', [
    brandId,
    controlPercent,
  ])
  await database.asSystem(brandId, async (tx) =>
    createTopic(tx, { brandId, name: 'offers', title: 'Offers', description: '', now: Date.now() }),
  )
  const { rows } = await database.query<{ id: bigint; profile: bigint }>(
    `with person as (
       insert into profiles (brand_id, tags, opt_outs, created_at, updated_at)
       select $1, array(select jsonb_array_elements_text(p -> 'tags')), p -> 'optOuts', now(), now()
       from jsonb_array_elements($2::jsonb) with ordinality as given (p, place) order by place
       returning id, created_at
     ), numbered as (
       select id, created_at, row_number() over (order by id) as place from person
     ), named as (
       insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
       select $1, 'user_id', 'u' || place, id, created_at from numbered
     ), active as (
       insert into profile_activity (brand_id, profile_id, event_count, first_event_at, last_event_at, ltv, active_quarters)
       select $1, id, 1, now(), now(), 0, array[(extract(epoch from now()) / 900)::integer - 96 * 2 + place::integer * 4]
       from numbered where ($2::jsonb -> (place::integer - 1) ->> 'isActive')::boolean
     )
     insert into subscriptions (brand_id, subscription_id, platform, address, address_hash, profile_id, web_p256dh,
       web_auth, tags, opt_outs, state, state_since, created_at, registered_at, updated_at)
     select $1, 'd' || place, d ->> 'platform', 't' || place, sha256(('t' || place)::bytea),
       (select id from numbered where numbered.place = (d ->> 'person')::integer), 'p256dh', 'auth',
       array(select jsonb_array_elements_text(d -> 'tags')), d -> 'optOuts',
       case when (d ->> 'isLive')::boolean then 'live' else 'unsubscribed' end, now(), now() - interval '9 days',
       now() - (d ->> 'registeredDaysAgo')::integer * interval '1 day', now()
     from jsonb_array_elements($3::jsonb) with ordinality as given (d, place) order by place
     returning id, coalesce(profile_id, -id) as profile`,
    [brandId, JSON.stringify(people), JSON.stringify(devices)],
  )
  const segments = new Map<string, number>()
  for (const tag of ['tea', 'new']) segments.set(tag, await segmentOf(brandId, tag))
  const placed = devices.map((device, at) => {
    const row = rows[at]
    assert.ok(row !== undefined)
    return { ...device, ...row }
  })
  return { brand, people, controlPercent, devices: placed, segments }
}

async function segmentOf(brandId: number, tag: string): Promise<number> {
  const { rows } = await database.query<{ id: bigint }>(
    `insert into segments (brand_id, name, filter, created_at, updated_at) values ($1, $2, $3, now(), now()) returning id`,
    [brandId, tag, JSON.stringify({ tag })],
  )
  return Number(rows[0]?.id)
}

/** The campaign as a caller writes it. `first` is a campaign that was sent before. */
function written({ segments }: Place, wish: Wish, first: string): JsonObject {
  const { audience, except, platforms, isLatest, topic, holdout, weights, isBestHour } = wish
  const parts = { ...narrowedFields(audience.narrowed, segments), ...usersField(audience.users) }
  const left = {
    ...narrowedFields({ ...except, tag: null }, segments),
    ...(except.first ? { campaign_id: Number(first) } : {}),
  }
  return {
    audience: {
      ...(Object.keys(parts).length === 0 ? { everyone: true } : parts),
      ...(Object.keys(left).length === 0 ? {} : { except: left }),
    },
    platforms,
    reach: isLatest ? 'latest_device' : 'every_device',
    holdout_percent: holdout,
    ...(topic === null ? {} : { topic }),
    ...(weights.length === 0
      ? {}
      : {
          variants: weights.map((weight, at) => ({ name: `V${at}`, weight, content: { message: `V${at}` } })),
        }),
    ...(isBestHour ? { best_hour: { within_hours: 24 } } : {}),
  }
}

type Narrowed = {
  readonly tag: string | null
  readonly segment: string | null
  readonly filter: string | null
}

function narrowedFields({ tag, segment, filter }: Narrowed, segments: Place['segments']): JsonObject {
  return {
    ...(tag === null ? {} : { tag }),
    ...(segment === null ? {} : { segment_id: segments.get(segment) ?? 0 }),
    ...(filter === null ? {} : { filter: { tag: filter } }),
  }
}

function usersField(users: readonly number[]): JsonObject {
  return users.length === 0 ? {} : { users: users.map((user) => `u${user}`) }
}

/** The devices that a campaign addresses, found one by one. `had` are the people who got the campaign before it. */
function audienceOf(place: Place, wish: Wish, had: ReadonlySet<bigint>): Place['devices'] {
  const { audience, except, platforms, isLatest } = wish
  const carries = (device: Device, tag: string) =>
    device.tags.includes(tag) || (place.people[device.person - 1]?.tags ?? []).includes(tag)
  const wanted = Object.values(audience.narrowed).filter((tag) => tag !== null)
  const unwanted = [except.segment, except.filter].filter((tag) => tag !== null)
  const { users } = audience
  const live = place.devices.filter(({ isLive }) => isLive)
  return live.filter((device) => {
    const isListed = users.length === 0 || users.includes(device.person)
    const isLast = live.every((other) => other.profile !== device.profile || !isLater(other, device))
    return (
      platforms.some((platform: Platform) => platform === device.platform) &&
      isListed &&
      wanted.every((tag) => carries(device, tag)) &&
      !unwanted.some((tag) => carries(device, tag)) &&
      !(except.first && had.has(device.profile)) &&
      (!isLatest || isLast)
    )
  })
}

function isLater(one: Device, other: Device): boolean {
  const days = other.registeredDaysAgo - one.registeredDaysAgo
  return days > 0 || (days === 0 && one.id > other.id)
}

/** Devices that return register again between the plan and the send, which changes nothing. */
async function register({ brand, devices }: Place): Promise<void> {
  const ids = devices.filter(({ returns }) => returns).map(({ id }) => id)
  await database.query(
    'update subscriptions set registered_at = clock_timestamp() where brand_id = $1 and id = any($2)',
    [brand.brandId, ids],
  )
}

type Outcome = {
  readonly id: bigint
  readonly state: string
  readonly reason: string | null
  readonly variant: number | null
}

async function outcomesOf({ brandId }: TestBrand, campaign: string): Promise<readonly Outcome[]> {
  const { rows } = await database.query<Outcome>(
    `select d.subscription_id as id, d.state, d.reason, d.variant::integer as variant from all_deliveries as d
     join notifications as n on n.brand_id = d.brand_id and n.id = d.notification_id
     where n.brand_id = $1 and n.campaign_id = $2 order by 1`,
    [brandId, campaign],
  )
  return rows
}

/** The people whom a campaign remembers, with their group. */
async function groupsOf({ brandId }: TestBrand, campaign: string): Promise<ReadonlyMap<bigint, number>> {
  const { rows } = await database.query<{ person: bigint; group: number }>(
    `select profile_id as person, trial_group::integer as group from campaign_members
     where brand_id = $1 and campaign_id = $2`,
    [brandId, campaign],
  )
  return new Map(rows.map(({ person, group }) => [person, group]))
}

test('the parts of a campaign are its audience: nobody is missing, nobody is in two, and the preview is the send', async () => {
  await fc.assert(
    fc.asyncProperty(WORLD, CAMPAIGN, async (world, wish) => {
      const place = await settleWorld(world)
      const { brand } = place
      const first = await campaigns.launched(brand, { audience: { tag: 'new' }, platforms: ['android'] })
      await drain(database, { now: Date.now() + DAY_MS })
      const got = (await outcomesOf(brand, first)).filter(({ state }) => state === 'accepted')
      const had = new Set(
        place.devices.flatMap(({ id, profile }) => (got.some((one) => one.id === id) ? [profile] : [])),
      )
      const expected = audienceOf(place, wish, had)

      const id = await campaigns.made(brand, written(place, wish, first))
      const preview = (await campaigns.act(brand, id, 'dry_run')).body
      const people = new Set(expected.map(({ profile }) => profile))
      assert.deepEqual([preview['devices'], preview['people']], [expected.length, people.size])
      const launched = await campaigns.act(brand, id, 'launch')
      assert.equal(launched.status, 200, launched.text)
      await planDue(database)
      if (wish.isLatest) await register(place)
      await drain(database, { judge: acceptContent, now: Date.now() + DAY_MS })
      await check(place, wish, { id, expected })
    }),
    { numRuns: atLength(120), endOnFailure: true },
  )
})

type Sent = { readonly id: string; readonly expected: Place['devices'] }

async function check(place: Place, wish: Wish, { id, expected }: Sent): Promise<void> {
  const { brand, controlPercent, people } = place
  const { holdout: holdoutPercent, weights, topic } = wish
  const phase = { kind: 'whole' } as const
  const trial = { campaignId: BigInt(id), weights, holdoutPercent, controlPercent, phase }
  const [outcomes, groups] = [await outcomesOf(brand, id), await groupsOf(brand, id)]
  const byDevice = Map.groupBy(outcomes, (outcome) => outcome.id)
  const isDivided = weights.length > 0 || holdoutPercent > 0 || controlPercent > 0
  for (const { id: device, profile, person, optOuts } of expected) {
    // The group follows from the person and the campaign alone, so it can be said here without asking.
    const group = groupOf(trial, profile)
    const found = byDevice.get(device) ?? []
    const wanted =
      group.kind === 'sent'
        ? (group.variant ?? 0)
        : TRIAL_GROUPS[group.kind === 'control' ? 'control' : 'holdout']
    assert.equal(groups.get(profile), isDivided ? wanted : undefined)
    if (group.kind !== 'sent') {
      assert.deepEqual(found, [], 'somebody who is held out has an outcome')
      continue
    }
    const silent = [optOuts, people[person - 1]?.optOuts ?? {}].some((one) => optOutOf(one, topic) !== null)
    const outcome = silent
      ? { id: device, state: 'cancelled', reason: 'opted_out', variant: null }
      : { id: device, state: 'accepted', reason: null, variant: group.variant }
    assert.deepEqual(found, [outcome])
    if (group.variant !== null) assert.notEqual(weights[group.variant], 0)
  }
  const members = new Set(expected.map((device) => device.id))
  assert.ok(
    outcomes.every((outcome) => members.has(outcome.id)),
    'somebody outside of the audience has an outcome',
  )
  const read = await campaigns.read(brand, id)
  assert.equal(read['devices'], outcomes.length, 'those who are held out are no part of the devices')
  assert.equal(read['pending'], 0)
  assert.equal(read['people'], new Set(expected.map(({ profile }) => profile)).size)
}
