import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { WEEK_MS } from '../../src/domain/events/week.ts'
import type { WeeksRead } from '../../src/domain/events/week-parts.ts'
import { parseEventBody } from '../../src/http/events/body.ts'
import { EventIntake } from '../../src/intake/events/intake.ts'
import { askMeasure } from '../../src/intake/events/measure.ts'
import { withOwner } from '../../src/store/db.ts'
import type { EventQuestion } from '../../src/store/events/measuring.ts'
import { maintainWeeks } from '../../src/store/events/weeks.ts'
import { freshDatabase } from '../support/database/database.ts'
import { entryOf } from '../support/events/events.ts'

const { url, database, brand, drop } = await freshDatabase()
after(drop)

test('the weeks of a question are told one after the other, twice if it has groups', async () => {
  const now = Date.now()
  // Four weeks up to the present one, and one to come.
  await withOwner(url, async (owner) => maintainWeeks(owner, { now: now - 3 * WEEK_MS, retentionDays: 365 }))
  const { brandId } = await brand()
  const batch = parseEventBody({ nv: [entryOf()] }, { now, timeZone: 'UTC', isMerging: false })
  assert.ok(batch.ok)
  const intake = new EventIntake({ database, clock: { now: () => now } })
  await intake.submit(brandId, { entries: batch.value.entries, rejected: [], isMerging: false })
  const { signal } = new AbortController()
  const [fromAt, toAt] = [now - 10 * WEEK_MS, now + 60_000]
  const whole: Omit<EventQuestion, 'cuts'> = {
    brandId,
    eventName: null,
    where: [],
    people: null,
    fromAt,
    toAt,
    now,
    measure: 'people',
    attribute: null,
    percentile: 0,
    parts: [],
    groupsMax: 10,
    edges: [fromAt, toAt],
    spansBefore: 0,
  }
  const toldOf = async (question: Omit<EventQuestion, 'cuts'>): Promise<readonly number[]> => {
    const told: WeeksRead[] = []
    await askMeasure(
      { database, eventFiles: null },
      { question, signal, tell: (weeks) => weeks && told.push(weeks) },
    )
    assert.equal(told.at(-1)?.of, told.length - 1)
    return told.map(({ read }) => read)
  }
  assert.deepEqual(await toldOf(whole), [0, 1, 2, 3, 4])
  assert.deepEqual(await toldOf({ ...whole, parts: [{ kind: 'event' }] }), [0, 1, 2, 3, 4, 5, 6, 7, 8])
  const compared = { ...whole, parts: [{ kind: 'event' } as const], edges: [fromAt, fromAt + WEEK_MS, toAt] }
  assert.deepEqual(await toldOf({ ...compared, spansBefore: 1 }), [0, 1, 2, 3, 4, 5, 6, 7, 8])
  const people = { kind: 'tag', tag: 'beta' } as const
  assert.deepEqual(await toldOf({ ...whole, people }), [0, 1, 2, 3, 4])
})
