import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toldTime } from '../../src/domain/events/entry.ts'
import { visitorName } from '../../src/domain/people/identifiers.ts'
import { visitorEntries } from '../../src/domain/people/visitor-command.ts'
import { VISITOR_LIMITS } from '../../src/rules/people.ts'

const SINCE = 1_000_000_000

/** The time at which an event of a browser is stored. */
function storedAt(at: number, since: number | null = SINCE): number | undefined {
  const event = {
    index: 0,
    who: visitorName('v'),
    ...toldTime(at),
    name: 'seen',
    ltv: '0',
    attributes: {},
    shape: { names: [], types: [] },
    context: null,
    bytes: 1,
    eventId: null,
  }
  const [entry] = visitorEntries([{ index: 0, kind: 'event', event }], { visitorId: 'v', since })
  return entry?.at
}

test('an event shortly before its profile is moved to it, and an older one is not', () => {
  const { clockErrorMsMax } = VISITOR_LIMITS
  assert.equal(storedAt(SINCE + 1), SINCE + 1)
  assert.equal(storedAt(SINCE - 1), SINCE)
  assert.equal(storedAt(SINCE - clockErrorMsMax), SINCE)
  assert.equal(storedAt(SINCE - clockErrorMsMax - 1), SINCE - clockErrorMsMax - 1)
})

test('an event of a browser without a profile keeps its time', () => {
  assert.equal(storedAt(5, null), 5)
})
