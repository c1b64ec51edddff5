import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { arrangeFunnel, type ReachedStep } from '../../src/domain/events/funnel-answer.ts'
import { loadFunnel } from '../../src/store/events/funnel.ts'
import type { EventPart } from '../../src/store/events/parts.ts'
import { freshDatabase } from '../support/database/database.ts'
import { checkOnRandomPeople, DAY_MS, groupText, SPAN } from '../support/people/random-people.ts'
import type { Person } from '../support/segments/segments.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const NAMES = ['buy', 'see'] as const

const PARTS = fc.constantFrom<readonly EventPart[]>(
  [],
  [{ kind: 'attribute', name: 'a' }],
  [{ kind: 'person', name: 'a' }, { kind: 'event' }],
)

type Asked = {
  readonly steps: readonly string[]
  readonly excluded: readonly string[]
  readonly parts: readonly EventPart[]
  readonly withinMs: number
  readonly fromAt: number
  readonly toAt: number
}

const ASKED: fc.Arbitrary<Asked> = fc.record(
  {
    steps: fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }),
    excluded: fc.constantFrom([], ['buy'], ['see']),
    parts: PARTS,
    withinMs: fc.constantFrom(1, DAY_MS / 2, DAY_MS, 3 * DAY_MS),
    ...SPAN,
  },
  { noNullPrototype: true },
)

test('SQL counts as many at each step as whoever follows each person by hand', async () => {
  await checkOnRandomPeople({ database, brand }, ASKED, async ({ brandId, people }, asked) => {
    const query = { brandId, ...asked, groupsMax: 1_000 }
    const found = await database.asBrand(brandId, async (tx) => loadFunnel(tx, query))
    const { all, groups, rest } = arrangeFunnel(found, asked.steps.length)
    const walks = people.flatMap((person) => walkOf(person, asked) ?? [])
    assert.deepEqual(all, reachedBy(walks, asked))
    assert.equal(rest, null)
    const wanted = Map.groupBy(asked.parts.length === 0 ? [] : walks, ({ key }) => groupText(key))
    assert.deepEqual(
      new Map(groups.map(({ key, steps }) => [groupText(key), steps])),
      new Map([...wanted].map(([key, own]) => [key, reachedBy(own, asked)])),
    )
  })
})

/** The times of the steps that one person took, and the group of the first. */
type Walk = { readonly times: readonly number[]; readonly key: readonly unknown[] }

function walkOf(person: Person, asked: Asked): Walk | null {
  const { steps, excluded, parts, withinMs, fromAt, toAt } = asked
  const timesOf = (names: readonly string[]): readonly number[] =>
    person.events.filter(({ name }) => names.includes(name)).map(({ at }) => at)
  const [first = '', ...others] = steps
  const startedAt = Math.min(...timesOf([first]).filter((at) => at >= fromAt && at < toAt))
  const start = person.events.find(({ name, at }) => name === first && at === startedAt)
  if (start === undefined) return null
  const ended = Math.min(...timesOf(excluded).filter((at) => at > startedAt))
  const times = [startedAt]
  for (const step of others) {
    const last = times.at(-1) ?? startedAt
    const at = Math.min(...timesOf([step]).filter((time) => time > last && time <= startedAt + withinMs))
    if (at === Number.POSITIVE_INFINITY || at > ended) break
    times.push(at)
  }
  const key = parts.map((part) => {
    if (part.kind === 'event') return start.name
    return (part.kind === 'person' ? person.attributes : start.attributes)['a'] ?? null
  })
  return { times, key }
}

function reachedBy(walks: readonly Walk[], { steps }: Asked): readonly ReachedStep[] {
  return steps.map((_, step) => {
    const took = walks.flatMap(({ times: [start = 0, ...rest] }) => {
      const at = [start, ...rest][step]
      return at === undefined ? [] : [(at - start) / 1_000]
    })
    return { users: took.length, seconds: step === 0 || took.length === 0 ? null : median(took) }
  })
}

/** Between the two middle ones when there is no middle one. */
function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  const [low = 0, high = 0] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]]
  return low + (high - low) * (middle - Math.floor(middle))
}
