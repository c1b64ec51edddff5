import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainInsider } from '../../src/domain/journeys/explanation.ts'
import type { JourneyReentry, JourneyState } from '../../src/rules/journeys.ts'
import { enrolmentOf, journeyOf } from '../support/journeys/journeys.ts'

const NOW = Date.parse('2026-07-01T12:00:00Z')
const ENTERED = NOW - 60_000
const LEFT = NOW - 30_000

type Case = {
  readonly reentry?: JourneyReentry
  readonly isInside?: boolean
  readonly againAt?: number
  readonly state?: JourneyState
  readonly waits?: boolean
}

/** The codes of the sentences after the path of somebody who did again what starts the journey. */
function codesOf({
  reentry = 'after_exit',
  isInside = false,
  againAt = LEFT,
  state = 'active',
  waits,
}: Case) {
  const journey = journeyOf({ reentry })
  assert.ok(journey.trigger.kind === 'event')
  const { event: name } = journey.trigger.match
  const triggers = [{ kind: 'event', name, at: againAt, attributes: {}, isBeforeCreation: false }] as const
  const waiting = waits === true ? { step: 'remind', wakeAt: NOW + 1 } : { step: null, wakeAt: null }
  const enrolment = {
    ...enrolmentOf(),
    ...waiting,
    state: isInside ? 'active' : 'completed',
    enteredAt: ENTERED,
    path: [
      { step: null, did: 'entered', at: ENTERED },
      { step: null, did: 'completed', at: LEFT },
    ],
  } as const
  const { reasons } = explainInsider(journey, { state, enrolment, triggers, sends: [], now: NOW })
  return reasons.slice(enrolment.path.length).map(({ code }) => code)
}

const CASES: readonly (readonly [name: string, given: Case, codes: readonly string[]])[] = [
  ['somebody who left may enter at that very moment', {}, []],
  ['somebody who had not left yet is told so', { againAt: LEFT - 1 }, ['inside_already']],
  ['somebody inside is told so, however late it is', { isInside: true, againAt: NOW }, ['inside_already']],
  ['a journey that takes nobody twice says so', { reentry: 'never' }, ['entered_before']],
  ['a journey that takes people at any time says nothing', { reentry: 'always', isInside: true }, []],
  ['a journey at rest took nobody', { state: 'paused' }, ['trigger_while_resting']],
  ['the event that let them in is not another one', { againAt: ENTERED, reentry: 'never' }, []],
  ['the next step is told with its time', { waits: true, reentry: 'always' }, ['journey_goes_on']],
  [
    'a step of a journey at rest is told without a time',
    { waits: true, reentry: 'always', state: 'paused' },
    ['journey_rests', 'trigger_while_resting'],
  ],
]

for (const [name, given, codes] of CASES) test(name, () => assert.deepEqual(codesOf(given), codes))
