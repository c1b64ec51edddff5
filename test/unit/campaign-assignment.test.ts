import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupOf, type Trial } from '../../src/domain/campaigns/assignment.ts'

const PEOPLE = Array.from({ length: 100_000 }, (_, at) => BigInt(at + 1))

const PLAIN: Trial = {
  campaignId: 7n,
  weights: [1, 1],
  holdoutPercent: 0,
  controlPercent: 0,
  phase: { kind: 'whole' },
}

/** How many of a thousand people are in each group. */
function permille(trial: Trial): Readonly<Record<string, number>> {
  const found = Object.groupBy(PEOPLE, (person) => nameOf(trial, person))
  return Object.fromEntries(
    Object.entries(found).map(([name, people]) => [name, Math.round((people?.length ?? 0) / 100)]),
  )
}

function nameOf(trial: Trial, person: bigint): string {
  const group = groupOf(trial, person)
  return group.kind === 'sent' ? `variant ${group.variant}` : group.kind
}

function isNear(found: number | undefined, wanted: number): boolean {
  return found !== undefined && Math.abs(found - wanted) <= 4
}

test('each variant gets its weight of the people', () => {
  const found = permille({ ...PLAIN, weights: [1, 3, 0] })
  assert.ok(isNear(found['variant 0'], 250) && isNear(found['variant 1'], 750), JSON.stringify(found))
  assert.equal(found['variant 2'], undefined)
})

test('the holdout and the control group get their percent, and a campaign without variants has none', () => {
  const found = permille({ ...PLAIN, weights: [], holdoutPercent: 10, controlPercent: 20 })
  assert.ok(isNear(found['control'], 200), JSON.stringify(found))
  assert.ok(isNear(found['holdout'], 80), JSON.stringify(found))
  assert.ok(isNear(found['variant null'], 720), JSON.stringify(found))
})

test('a device without a person has a group too', () => {
  assert.equal(groupOf({ ...PLAIN, weights: [] }, -5n).kind, 'sent')
})

test('the test share and the rest are the audience, and nobody is in both', () => {
  const tested = { ...PLAIN, phase: { kind: 'test', percent: 20 } } as const
  const rest = { ...PLAIN, phase: { kind: 'rest', percent: 20, variant: 1 } } as const
  for (const person of PEOPLE.slice(0, 10_000)) {
    const isTested = groupOf(tested, person).kind === 'sent'
    assert.equal(groupOf(rest, person).kind, isTested ? 'other_phase' : 'sent')
  }
  assert.ok(isNear(permille(rest)['variant 1'], 800))
})

test('the people of the test share get the variant that they would get without a test', () => {
  const tested = { ...PLAIN, phase: { kind: 'test', percent: 50 } } as const
  for (const person of PEOPLE.slice(0, 1000)) {
    const group = groupOf(tested, person)
    if (group.kind === 'sent') assert.deepEqual(group, groupOf(PLAIN, person))
  }
})

test('two campaigns hold out other people, and share one control group', () => {
  const one = { ...PLAIN, holdoutPercent: 50, controlPercent: 20 }
  const two = { ...one, campaignId: 8n }
  const both = PEOPLE.filter((person) =>
    [one, two].every((trial) => groupOf(trial, person).kind === 'holdout'),
  )
  assert.ok(isNear(Math.round(both.length / 100), 200), String(both.length))
  for (const person of PEOPLE.slice(0, 1000)) {
    const isControl = groupOf(one, person).kind === 'control'
    assert.equal(groupOf(two, person).kind === 'control', isControl)
  }
})

test('a person stays in the same group in every version of Beckon', () => {
  const trial = { ...PLAIN, weights: [1, 1, 1, 1], holdoutPercent: 20, controlPercent: 10 }
  const found = PEOPLE.slice(0, 24).map((person) => nameOf(trial, person).replace('variant ', '').slice(0, 1))
  assert.equal(found.join(''), '3c0130h310hhh1310c030001')
})
