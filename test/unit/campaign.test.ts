import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audienceFilter, parseCampaignAudience } from '../../src/domain/campaigns/audience.ts'
import { contentLayers, pathInLayers } from '../../src/domain/campaigns/content.ts'
import {
  launchedState,
  planCampaignArchive,
  planCampaignChange,
  planCampaignState,
} from '../../src/domain/campaigns/states.ts'
import {
  CAMPAIGN_FIELDS,
  CAMPAIGN_LIMITS,
  CAMPAIGN_PUSH_FIELDS,
  CAMPAIGN_STATES,
  type CampaignReach,
  type CampaignState,
} from '../../src/rules/campaigns.ts'
import { PUSH_FIELDS } from '../../src/rules/push-fields.ts'

const STATES = Object.keys(CAMPAIGN_STATES)
const FINAL = ['sent', 'failed', 'cancelled']

function isState(name: string): name is CampaignState {
  return Object.hasOwn(CAMPAIGN_STATES, name)
}

test('a campaign can be cancelled in every state that is not final, and in no final one but its own', () => {
  for (const state of STATES.filter(isState)) {
    const { ok } = planCampaignState(state, 'cancelled')
    assert.equal(ok, !FINAL.includes(state) || state === 'cancelled', state)
  }
})

test('a campaign can be changed before it sends, with the version that its editor read', () => {
  assert.equal(planCampaignChange({ state: 'scheduled', version: 3 }, 3).ok, true)
  const stale = planCampaignChange({ state: 'draft', version: 3 }, 2)
  assert.equal(stale.ok ? null : stale.rejection.faults[0].code, 'campaign_version')
  const late = planCampaignChange({ state: 'sending', version: 3 }, 3)
  assert.equal(late.ok ? null : late.rejection.faults[0].code, 'campaign_state')
})

test('a campaign that may still send cannot be archived', () => {
  const archivable = STATES.filter(isState).filter((state) => planCampaignArchive(state).ok)
  assert.deepEqual(archivable, ['draft', ...FINAL])
})

const DECIDED = { isUndecided: false } as const

test('the state of a launched campaign follows its notifications', () => {
  assert.equal(launchedState([], DECIDED), null)
  assert.equal(launchedState(['scheduled', 'scheduled'], DECIDED), 'scheduled')
  assert.equal(launchedState(['scheduled', 'sent'], DECIDED), 'sending')
  assert.equal(launchedState(['queued', 'sent'], DECIDED), 'sending')
  assert.equal(launchedState(['sent', 'failed'], DECIDED), 'sent')
  assert.equal(launchedState(['failed', 'failed'], DECIDED), 'failed')
  assert.equal(launchedState(['sent', 'cancelled'], DECIDED), 'sent')
  assert.equal(launchedState(['cancelled', 'cancelled'], DECIDED), 'cancelled')
  assert.equal(launchedState(['sent', 'sent'], { isUndecided: true }), 'deciding')
  assert.equal(launchedState(['sent', 'sending'], { isUndecided: true }), 'sending')
})

test('a field of the platform takes the place of the one in content, and null takes it away', () => {
  const document = { content: { title: 'Teas', url: 'https://a.example' }, ios: { title: 'Tea', url: null } }
  const onPhone = contentLayers(document, 'ios')
  assert.deepEqual(onPhone, [
    { path: 'content', fields: {} },
    { path: 'ios', fields: { title: 'Tea', url: null } },
  ])
  assert.equal(pathInLayers(onPhone, 'title'), 'ios.title')
  assert.equal(pathInLayers(onPhone, 'message'), 'content.message')
  assert.deepEqual(contentLayers(document, 'web')[0]?.fields, document.content)
})

test('a field of a variant goes before those of the campaign, on its platform too', () => {
  const document = {
    content: { title: 'Teas', message: 'All of them' },
    ios: { title: 'Tea' },
    variants: [
      { name: 'A', weight: 1 },
      { name: 'B', weight: 1, content: { title: 'New' }, ios: { badge: 1 } },
    ],
  }
  const layers = contentLayers(document, 'ios', 1)
  assert.equal(pathInLayers(layers, 'title'), 'variants[1].content.title')
  assert.equal(pathInLayers(layers, 'badge'), 'variants[1].ios.badge')
  assert.equal(pathInLayers(layers, 'message'), 'content.message')
  const plain = contentLayers(document, 'ios', 0)
  assert.equal(pathInLayers(plain, 'title'), 'ios.title')
})

function codes(value: unknown): readonly string[] {
  const parsed = parseCampaignAudience(value)
  return parsed.ok ? [] : parsed.rejection.faults.map(({ code, field }) => `${code} ${field}`)
}

test('an audience names somebody, and everyone only by that word', () => {
  assert.deepEqual(codes({ everyone: true }), [])
  assert.deepEqual(codes({ segment_id: 42, tag: 'tea', users: ['a'] }), [])
  assert.deepEqual(codes({}), ['campaign_invalid audience'])
  assert.deepEqual(codes({ except: { segment_id: 7 } }), ['campaign_invalid audience'])
  assert.deepEqual(codes({ everyone: false }), ['campaign_invalid audience'])
  assert.deepEqual(codes({ everyone: true, tag: 'tea' }), ['campaign_invalid audience'])
  assert.deepEqual(codes({ everyone: true, except: {} }), ['campaign_invalid audience.except'])
  assert.deepEqual(codes({ segmnt_id: 42 }), ['campaign_invalid audience.segmnt_id'])
  assert.deepEqual(codes({ filter: { tag: '' } }), ['filter_invalid audience.filter.tag'])
  assert.deepEqual(codes({ users: [] }), ['campaign_invalid audience.users'])
  assert.equal(parseCampaignAudience({ users: [] }, { isJudged: false }).ok, true)
  const users = Array.from({ length: CAMPAIGN_LIMITS.usersMax + 1 }, (_, at) => `u${at}`)
  assert.deepEqual(codes({ users }), ['campaign_invalid audience.users'])
  assert.deepEqual(codes({ users: users.slice(1) }), [])
})

test('segments, filters and exclusions become one filter; tags and lists do not', () => {
  const parsed = parseCampaignAudience({
    segment_id: 42,
    users: ['a', 'a'],
    except: { filter: { tag: 'x' } },
  })
  assert.ok(parsed.ok)
  assert.deepEqual(parsed.value.userIds, ['a'])
  assert.deepEqual(audienceFilter(parsed.value), {
    kind: 'all',
    of: [
      { kind: 'segment', id: 42n },
      { kind: 'not', of: { kind: 'tag', tag: 'x' } },
    ],
  })
  const everyone = parseCampaignAudience({ everyone: true })
  assert.ok(everyone.ok)
  assert.equal(audienceFilter(everyone.value), null)
})

test('the fields of a campaign are rows of a push or rows of its own, and never both', () => {
  const names: readonly string[] = PUSH_FIELDS.map(({ name }) => name)
  assert.deepEqual(
    CAMPAIGN_PUSH_FIELDS.filter((name) => !names.includes(name)),
    [],
  )
  assert.deepEqual(
    Object.keys(CAMPAIGN_FIELDS).filter((name) => names.includes(name)),
    [],
  )
  const reach: CampaignReach = 'latest_device'
  assert.ok(CAMPAIGN_FIELDS.reach.shape.oneOf.includes(reach))
})
