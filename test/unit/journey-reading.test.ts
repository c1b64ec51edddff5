import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DOCUMENT_FAULTS_MAX } from '../../src/rules/documents.ts'
import { JOURNEY_LIMITS } from '../../src/rules/journeys.ts'
import { documentOf, flawedPaths, journeyOf, REMIND } from '../support/journeys/journeys.ts'

const DAY = { id: 'day', wait: { days: 1 } }

test('steps follow each other as they stand, unless they say otherwise', () => {
  const { first, steps } = journeyOf({ steps: [REMIND, DAY, { ...REMIND, id: 'again', next: 'day' }] })
  assert.equal(first, 'remind')
  const ways = [...steps.values()].map((step) => ('next' in step ? step.next : null))
  assert.deepEqual(ways, ['day', 'again', 'day'])
})

test('what is left out of a journey has its everyday value', () => {
  const { goal, exit, reentry, quietHours } = journeyOf()
  assert.deepEqual(
    { goal, exit, reentry, quietHours },
    { goal: null, exit: null, reentry: 'never', quietHours: [] },
  )
})

function setting(attribute: string, value: unknown): object {
  return { steps: [{ id: 'a', set: { attribute, value } }] }
}

/** Each document is wrong in one place, and the refusal names it. */
const FLAWS: readonly (readonly [string, object, string])[] = [
  ['a trigger of no kind', { trigger: { mood: 'good' } }, 'trigger'],
  ['two triggers at once', { trigger: { event: 'a', date: 'b' } }, 'trigger'],
  ['a trigger without a name', { trigger: { event: '' } }, 'trigger.event'],
  ['a stray key in a trigger', { trigger: { event: 'a', when: 1 } }, 'trigger.when'],
  [
    'a bad condition',
    { trigger: { event: 'a', where: [{ attribute: 'n', is: 'odd' }] } },
    'trigger.where[0].is',
  ],
  ['a segment that is no number', { trigger: { segment_entered: 'vip' } }, 'trigger.segment_entered'],
  ['a date without a time', { trigger: { date: 'birth_date' } }, 'trigger.at'],
  ['no steps', { steps: [] }, 'steps'],
  ['a step without a name', { steps: [{ wait: { days: 1 } }] }, 'steps[0].id'],
  ['a step called end', { steps: [{ ...REMIND, id: 'end' }] }, 'steps[0].id'],
  ['two steps of one name', { steps: [REMIND, REMIND] }, 'steps[1].id'],
  ['a step of no kind', { steps: [{ id: 'a', dance: {} }] }, 'steps[0]'],
  ['a step that does two things', { steps: [{ ...REMIND, wait: { days: 1 } }] }, 'steps[0]'],
  ['a way to nowhere', { steps: [{ ...REMIND, next: 'home' }] }, 'steps[0]'],
  ['a step nobody reaches', { steps: [{ ...REMIND, next: 'end' }, DAY] }, 'steps[1]'],
  ['a loop that never waits', { steps: [{ ...REMIND, next: 'remind' }] }, 'steps[0]'],
  ['a wait of no time', { steps: [{ id: 'a', wait: {} }] }, 'steps[0].wait'],
  ['a wait that is too long', { steps: [{ id: 'a', wait: { days: 366 } }] }, 'steps[0].wait'],
  ['a wait in an unknown unit', { steps: [{ id: 'a', wait: { moons: 1 } }] }, 'steps[0].wait.moons'],
  [
    'no such weekday',
    { steps: [{ id: 'a', wait_until: { weekdays: ['mon'], at: '09:00' } }] },
    'steps[0].wait_until.weekdays[0]',
  ],
  ['no such time of day', { steps: [{ id: 'a', wait_until: { at: '24:00' } }] }, 'steps[0].wait_until.at'],
  [
    'a wait for nothing',
    { steps: [{ id: 'a', wait_for: { within: { days: 1 } } }] },
    'steps[0].wait_for.event',
  ],
  [
    'a wait for an event without an end',
    { steps: [{ id: 'a', wait_for: { event: 'x' } }] },
    'steps[0].wait_for.within',
  ],
  ['a bad filter', { steps: [{ id: 'a', branch: { filter: { mood: 1 } } }] }, 'steps[0].branch.filter'],
  [
    'next beside a branch',
    { steps: [{ id: 'a', branch: { filter: { tag: 'x' } }, next: 'end' }] },
    'steps[0].next',
  ],
  [
    'a split that makes 90',
    { steps: [{ id: 'a', split: [{ percent: 50 }, { percent: 40 }] }] },
    'steps[0].split',
  ],
  [
    'a split of halves of percents',
    { steps: [{ id: 'a', split: [{ percent: 50.5 }, { percent: 49.5 }] }] },
    'steps[0].split[0].percent',
  ],
  [
    'a split by words',
    { steps: [{ id: 'a', split: [{ percent: '50' }, { percent: [50] }] }] },
    'steps[0].split[1].percent',
  ],
  ['a number that cannot be', setting('x', Number.POSITIVE_INFINITY), 'steps[0].set.x'],
  ['an attribute nobody may have', setting('__proto__', 1), 'steps[0].set.__proto__'],
  ['a birthday that is none', setting('birth_date', 'soon'), 'steps[0].set.birth_date'],
  ['a change of nothing', { steps: [{ id: 'a', set: {} }] }, 'steps[0].set'],
  [
    'an attribute that is a list',
    { steps: [{ id: 'a', set: { attribute: 'x', value: [] } }] },
    'steps[0].set.value',
  ],
  ['a send to nowhere', { steps: [{ id: 'a', send: { to: 'fax' } }] }, 'steps[0].send.to'],
  ['a goal without a name', { goal: {} }, 'goal.event'],
  ['a word that is no rule of re-entry', { reentry: 'often' }, 'reentry'],
  ['quiet hours without an end', { quiet_hours: [{ from: '22:00' }] }, 'quiet_hours[0].to'],
  [
    'quiet hours that never end',
    {
      quiet_hours: [
        { from: '00:00', to: '12:00' },
        { from: '12:00', to: '00:00' },
      ],
    },
    'quiet_hours',
  ],
]

for (const [name, change, path] of FLAWS) {
  test(`${name} is refused at ${path}`, () => {
    const paths = flawedPaths(documentOf(change))
    assert.ok(paths.includes(path), JSON.stringify(paths))
  })
}

test('a wait may be as short and as long as its limits', () => {
  for (const wait of [{ seconds: 1 }, { days: 365 }]) {
    assert.deepEqual(flawedPaths(documentOf({ steps: [{ id: 'a', wait }] })), [])
  }
})

test('a time of day has seconds, whether they are written or not', () => {
  const { steps } = journeyOf({ steps: [{ id: 'a', wait_until: { at: '09:00' } }] })
  const { steps: same } = journeyOf({ steps: [{ id: 'a', wait_until: { at: '09:00:00' } }] })
  assert.deepEqual([...same], [...steps])
  const { steps: other } = journeyOf({ steps: [{ id: 'a', wait_until: { at: '09:00:30' } }] })
  assert.notDeepEqual([...other], [...steps])
})

test('quiet hours that leave a minute of the week are fine', () => {
  const all = {
    days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'],
    from: '00:00',
    to: '00:00',
  }
  const sunday = { days: ['sunday'], from: '00:00', to: '23:59' }
  const halves = [
    { ...all, to: '12:00' },
    { ...all, from: '12:00' },
  ]
  assert.deepEqual(flawedPaths(documentOf({ quiet_hours: [...halves, sunday] })), [])
})

test('a loop with a wait in it is what reminders are made of', () => {
  assert.deepEqual(flawedPaths(documentOf({ steps: [REMIND, { ...DAY, next: 'remind' }] })), [])
})

test('a journey has at most so many steps', () => {
  const steps = Array.from({ length: JOURNEY_LIMITS.stepsMax + 1 }, (_, at) => ({ ...REMIND, id: `s${at}` }))
  assert.deepEqual(flawedPaths(documentOf({ steps: steps.slice(1) })), [])
  assert.deepEqual(flawedPaths(documentOf({ steps })), ['steps'])
})

function branches(filters: readonly object[]): object {
  const steps = filters.map((filter, at) => ({ id: `b${at}`, branch: { filter } }))
  return documentOf({ steps: [...steps, REMIND] })
}

/** A filter of so many nodes. */
function tags(count: number): object {
  return { any: Array.from({ length: count - 1 }, () => ({ tag: 'x' })) }
}

test('the filters of all branches together have a bound', () => {
  const { filterNodesMax, referencesMax } = JOURNEY_LIMITS
  const full = [tags(filterNodesMax / 5), tags(filterNodesMax / 5), tags(filterNodesMax / 5)]
  assert.deepEqual(flawedPaths(branches([...full, ...full.slice(1)])), [])
  assert.deepEqual(flawedPaths(branches([...full, ...full.slice(1), { tag: 'x' }])), ['steps'])
  const segments = Array.from({ length: referencesMax + 1 }, (_, id) => ({ segment: id }))
  assert.deepEqual(flawedPaths(branches(segments.slice(1))), [])
  assert.deepEqual(flawedPaths(branches(segments)), ['steps'])
})

test('a refusal names every bad place, up to a bound', () => {
  const steps = Array.from({ length: 30 }, (_, at) => ({ id: `s${at}`, wait: { moons: 1 } }))
  assert.equal(flawedPaths(documentOf({ steps })).length, DOCUMENT_FAULTS_MAX)
})
