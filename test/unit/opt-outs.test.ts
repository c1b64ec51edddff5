import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinProfiles, type ProfileState, partProfiles } from '../../src/domain/people/profile-state.ts'
import { joinOptOuts, optOutOf, planOptOuts } from '../../src/domain/preferences/opt-outs.ts'
import { EVERYTHING, TRANSACTIONAL } from '../../src/rules/topics.ts'

const EARLY = '2026-11-01T00:00:00.000Z'
const LATE = '2026-11-02T00:00:00.000Z'
const NOW = Date.parse('2026-11-03T00:00:00.000Z')
const TOPICS = ['offers', 'orders', 'constructor']

test('an opt-out stops its topic, and everything stops all but transactional', () => {
  const rows = [
    { optOuts: { offers: EARLY }, stopped: ['offers'] },
    { optOuts: { [EVERYTHING]: EARLY }, stopped: ['offers', 'orders', 'constructor', null] },
    { optOuts: { offers: EARLY, [EVERYTHING]: LATE }, stopped: ['offers', 'orders', 'constructor', null] },
    { optOuts: {}, stopped: [] },
  ]
  for (const { optOuts, stopped } of rows) {
    const found = [...TOPICS, TRANSACTIONAL, null].filter((topic) => optOutOf(optOuts, topic) !== null)
    assert.deepEqual(found, stopped, JSON.stringify(optOuts))
  }
  const both = { offers: EARLY, [EVERYTHING]: LATE }
  assert.deepEqual(optOutOf(both, 'offers'), { topic: 'offers', since: EARLY })
  assert.deepEqual(optOutOf(both, 'orders'), { topic: EVERYTHING, since: LATE })
})

test('the opt-outs of two profiles join, each from its earlier time on', () => {
  const joined = joinOptOuts({ offers: LATE, orders: EARLY }, { offers: EARLY, [EVERYTHING]: LATE })
  assert.deepEqual(joined, { [EVERYTHING]: LATE, offers: EARLY, orders: EARLY })
})

test('a change replaces the list; a topic that stays keeps its time, and an archived one stays', () => {
  const current = { offers: EARLY, orders: EARLY, archived: EARLY }
  const change = { wanted: ['offers', 'constructor', 'offers'], topics: TOPICS, now: NOW }
  const planned = planOptOuts(current, change)
  assert.deepEqual(planned.ok ? planned.value : planned.rejection, {
    archived: EARLY,
    constructor: new Date(NOW).toISOString(),
    offers: EARLY,
  })
})

test('nobody opts out of transactional, of a topic that is archived or of one that the brand does not have', () => {
  const wanted = [TRANSACTIONAL, 'offers', 'archived', 'toString', '']
  const planned = planOptOuts({ archived: EARLY }, { wanted, topics: TOPICS, now: NOW })
  assert.deepEqual(planned.ok ? [] : planned.rejection.faults.map(({ field, code }) => [field, code]), [
    ['opt_outs[0]', 'field_invalid'],
    ['opt_outs[2]', 'topic_unknown'],
    ['opt_outs[3]', 'topic_unknown'],
    ['opt_outs[4]', 'topic_unknown'],
  ])
})

test('an undone merge gives back what it added, and keeps what was changed since', () => {
  const blank = { email: null, mobile: null, attributes: {}, mistyped: null, tags: [] }
  const profile = (optOuts: ProfileState['optOuts']): ProfileState => ({
    ...blank,
    optOuts,
    createdAt: 1,
    updatedAt: 1,
  })
  const survivor = profile({ offers: EARLY })
  const joined = joinProfiles(survivor, profile({ orders: EARLY, news: EARLY }), 2)
  assert.deepEqual(joined.optOuts, { news: EARLY, offers: EARLY, orders: EARLY })
  const current = { ...joined, optOuts: { offers: EARLY, orders: EARLY, [EVERYTHING]: LATE } }
  const parted = partProfiles(current, { survivor, joined }, 3)
  assert.deepEqual(parted.optOuts, { offers: EARLY, [EVERYTHING]: LATE })
})
