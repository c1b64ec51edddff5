import assert from 'node:assert/strict'
import type { Enrolment, Facts } from '../../../src/domain/journeys/journey.ts'
import type { Journey } from '../../../src/domain/journeys/plan.ts'
import { parseJourney } from '../../../src/domain/journeys/reading.ts'
import { accept } from '../../../src/domain/result.ts'
import { anyContent } from '../push/content.ts'

/** Stands in for the fields of a push, which other tests hold to their rules. */
const anyMessage = () =>
  accept({
    content: anyContent({}),
    alternatives: null,
    callerNotificationId: null,
    topic: null,
    template: null,
  })

export const REMIND = { id: 'remind', send: { to: 'anywhere', title: 'Hello', message: 'World' } }

/** A document that is good, and differs where the test says. */
export function documentOf(change: object = {}): object {
  return { trigger: { event: 'signup' }, steps: [REMIND], ...change }
}

export function journeyOf(change: object = {}): Journey {
  const parsed = parseJourney(documentOf(change), anyMessage)
  assert.ok(parsed.ok, parsed.ok ? '' : JSON.stringify(parsed.rejection.faults))
  return parsed.value
}

/** What is wrong with a document, as paths. */
export function flawedPaths(document: unknown): readonly (string | null)[] {
  const parsed = parseJourney(document, anyMessage)
  return parsed.ok ? [] : parsed.rejection.faults.map(({ field }) => field)
}

export const FACTS: Facts = {
  isThere: true,
  isDouble: false,
  zone: 'Europe/Berlin',
  livePlatforms: ['android'],
  isInFilter: false,
  isLocked: false,
  isCallable: true,
  recent: [],
  splitKey: '1',
  isSkipping: false,
}

export function enrolmentOf(change: Partial<Enrolment> = {}): Enrolment {
  return {
    profileId: 7n,
    state: 'active',
    step: 'remind',
    isWaiting: false,
    stepAt: 0,
    wakeAt: 0,
    visits: 1,
    enteredAt: 0,
    ...change,
  }
}
