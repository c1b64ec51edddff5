import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readStoredJourney } from '../../src/domain/journeys/stored-journey.ts'
import { JOURNEY_LIMITS } from '../../src/rules/journeys.ts'
import { SEGMENT_LIMITS } from '../../src/rules/segments.ts'
import { documentOf, flawedPaths, REMIND } from '../support/journeys/journeys.ts'
import { anyContent } from '../support/push/content.ts'

const DAY = { id: 'day', wait: { days: 1 } }
const MESSAGES = { remind: { content: anyContent({}), callerNotificationId: null } }
const LONG = 'x'.repeat(2_000)

function many<Item>(count: number, item: (at: number) => Item): readonly Item[] {
  return Array.from({ length: count }, (_, at) => item(at))
}

function branch(filter: object): object {
  return { steps: [{ id: 'ask', branch: { filter } }, REMIND] }
}

function where(condition: object): object {
  return { goal: { event: 'bought', where: [condition] } }
}

/** Each breaks a rule of today that an earlier Beckon may not have had. */
const LOOSER: readonly (readonly [string, object])[] = [
  ['more steps', { steps: [...many(JOURNEY_LIMITS.stepsMax, (at) => ({ ...DAY, id: `d${at}` })), REMIND] }],
  ['a step nobody reaches', { steps: [{ ...REMIND, next: 'end' }, DAY] }],
  [
    'a loop that never waits',
    {
      steps: [
        { id: 'a', set: { add_tag: 'x' } },
        { ...REMIND, next: 'a' },
      ],
    },
  ],
  ['a longer wait', { steps: [{ id: 'a', wait: { days: 4_000 } }, REMIND] }],
  ['a longer name', { steps: [{ id: LONG, wait: { days: 1 } }, REMIND] }],
  ['a key that is not known any more', { trigger: { event: 'signup', source: 'web' } }],
  ['more days from a date', { trigger: { date: 'birth_date', at: '09:00', offset_days: 4_000 } }],
  ['more ways', { steps: [{ id: 'a', split: many(100, () => ({ percent: 1, next: 'remind' })) }, REMIND] }],
  ['an attribute nobody may have', { steps: [{ id: 'a', set: { attribute: LONG, value: LONG } }, REMIND] }],
  [
    'more quiet hours',
    { quiet_hours: many(JOURNEY_LIMITS.quietWindowsMax + 1, () => ({ from: '22:00', to: '22:00' })) },
  ],
  ['a larger filter', branch({ any: many(SEGMENT_LIMITS.nodesMax + 50, () => ({ tag: LONG })) })],
  ['more segments', branch({ any: many(JOURNEY_LIMITS.referencesMax + 1, (at) => ({ segment: at + 1 })) })],
  [
    'a deeper filter',
    branch(many(SEGMENT_LIMITS.depthMax, () => 0).reduce<object>((of) => ({ not: of }), { tag: 'x' })),
  ],
  ['more values', where({ attribute: 'a', is: 'in', value: many(SEGMENT_LIMITS.valuesMax + 1, () => LONG) })],
  ['more days back', where({ attribute: 'a', is: 'within_days', value: SEGMENT_LIMITS.daysMax + 1 })],
  ['a value where none belongs', where({ attribute: 'a', is: 'exists', value: 1 })],
  ['a higher count', branch({ event: 'x', count: { gte: SEGMENT_LIMITS.countMax + 1 } })],
  [
    'more conditions',
    {
      goal: {
        event: 'x',
        where: many(SEGMENT_LIMITS.whereMax + 1, () => ({ attribute: 'a', is: 'exists' })),
      },
    },
  ],
]

for (const [name, change] of LOOSER) {
  test(`a journey that was saved with ${name} than today is still read, and not saved again`, () => {
    const document = documentOf(change)
    assert.notDeepEqual(flawedPaths(document), [])
    const read = readStoredJourney({ document, messages: MESSAGES })
    assert.ok(read.ok, read.ok ? '' : JSON.stringify(read.rejection.faults))
  })
}

test('nothing of a large stored filter is left out', () => {
  const count = SEGMENT_LIMITS.nodesMax + 50
  const document = documentOf(branch({ any: many(count, (at) => ({ tag: `t${at}` })) }))
  const read = readStoredJourney({ document, messages: MESSAGES })
  const step = read.ok ? read.value.steps.get('ask') : undefined
  assert.ok(step?.kind === 'branch' && step.filter.kind === 'any')
  assert.equal(step.filter.of.length, count)
})

/** Nobody could follow these. */
const DAMAGED: readonly (readonly [string, unknown, object])[] = [
  ['no object', 'gone', MESSAGES],
  ['no steps', documentOf({ steps: null }), MESSAGES],
  ['a way to nowhere', documentOf({ steps: [{ ...REMIND, next: 'home' }] }), MESSAGES],
  ['a send whose message is gone', documentOf(), {}],
  ['a filter that is none', documentOf(branch({ mood: 1 })), MESSAGES],
]

for (const [name, document, messages] of DAMAGED) {
  test(`what is stored and is ${name} is told, not thrown`, () => {
    assert.equal(readStoredJourney({ document, messages: { ...messages } }).ok, false)
  })
}
