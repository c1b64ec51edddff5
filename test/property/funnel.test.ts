import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { loadFunnel } from '../../src/store/events/funnel.ts'
import { freshDatabase } from '../support/database.ts'
import { savePeople } from '../support/people.ts'
import { NOW, PERSON, type Person } from '../support/segments.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const DAY_MS = 86_400_000
const NAMES = ['buy', 'see'] as const

type Asked = {
  readonly steps: readonly string[]
  readonly withinMs: number
  readonly fromAt: number
  readonly toAt: number
}

const ASKED: fc.Arbitrary<Asked> = fc.record(
  {
    steps: fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }),
    withinMs: fc.constantFrom(1, DAY_MS / 2, DAY_MS, 3 * DAY_MS),
    fromAt: fc.constantFrom(NOW - 5 * DAY_MS, NOW - 2 * DAY_MS),
    toAt: fc.constantFrom(NOW - DAY_MS, NOW + 1),
  },
  { noNullPrototype: true },
)

test('SQL counts as many at each step as whoever follows each person by hand', async () => {
  const people = fc.array(PERSON, { minLength: 1, maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(
      people,
      fc.array(ASKED, { minLength: 10, maxLength: 10 }),
      async (persons, questions) => {
        const { brandId } = await brand()
        // Each has a name of their own, and with it a profile.
        const known = persons.map((person, at) => ({ ...person, userIds: [`u${at}`] }))
        await savePeople(database, brandId, known)
        for (const asked of questions) {
          const found = await database.asBrand(brandId, async (tx) => loadFunnel(tx, { brandId, ...asked }))
          assert.deepEqual(found.map(Number), followed(known, asked))
        }
      },
    ),
    { numRuns: 20 },
  )
})

function followed(people: readonly Person[], asked: Asked): readonly number[] {
  const came = people.map((person) => stepsOf(person, asked))
  return asked.steps.map((_, place) => came.filter((steps) => steps > place).length)
}

/** How many steps one person took. */
function stepsOf({ events }: Person, { steps, withinMs, fromAt, toAt }: Asked): number {
  const timesOf = (name: string | undefined): readonly number[] =>
    events.filter((event) => event.name === name).map(({ at }) => at)
  const [first, ...others] = steps
  const startedAt = Math.min(...timesOf(first).filter((at) => at >= fromAt && at < toAt))
  if (startedAt === Number.POSITIVE_INFINITY) return 0
  let [taken, last] = [1, startedAt]
  for (const step of others) {
    const at = Math.min(...timesOf(step).filter((time) => time > last && time <= startedAt + withinMs))
    if (at === Number.POSITIVE_INFINITY) return taken
    ;[taken, last] = [taken + 1, at]
  }
  return taken
}
