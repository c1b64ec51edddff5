import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { loadFunnel } from '../../src/store/events/funnel.ts'
import { freshDatabase } from '../support/database/database.ts'
import { checkOnRandomPeople, DAY_MS, SPAN } from '../support/people/random-people.ts'
import type { Person } from '../support/segments/segments.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

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
    ...SPAN,
  },
  { noNullPrototype: true },
)

test('SQL counts as many at each step as whoever follows each person by hand', async () => {
  await checkOnRandomPeople({ database, brand }, ASKED, async ({ brandId, people }, asked) => {
    const found = await database.asBrand(brandId, async (tx) => loadFunnel(tx, { brandId, ...asked }))
    assert.deepEqual(found.map(Number), followed(people, asked))
  })
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
