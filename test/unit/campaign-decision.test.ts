import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideWinner } from '../../src/domain/campaigns/decision.ts'

const WINNER = { by: 'goal', testPercent: 20, afterHours: 4, confidence: 0.95, otherwise: 1 } as const
const variants = [
  { name: 'A', weight: 1 },
  { name: 'B', weight: 1 },
  { name: 'C', weight: 0 },
]

function facts(...reached: readonly number[]) {
  return reached.map((did, group) => ({ group, people: 1_000, clicked: 0, reached: did }))
}

test('the variant whose people reached the goal most often wins; clicks decide only where they are asked for', () => {
  const groups = facts(200, 50)
  const byGoal = decideWinner({ variants }, WINNER, groups)
  assert.deepEqual([byGoal.kind, byGoal.variant, byGoal.leads.map(({ over }) => over)], ['winner', 0, [1]])
  const byClick = decideWinner({ variants }, { ...WINNER, by: 'click' }, groups)
  assert.deepEqual([byClick.kind, byClick.variant], ['not_enough_data', 1])
})

test('a variant of weight 0 is never compared, whatever its figures say, and keeps the places of the others', () => {
  const last = decideWinner({ variants }, WINNER, facts(200, 50, 900))
  assert.deepEqual([last.variant, last.groups.map(({ variant }) => variant)], [0, [0, 1]])
  const first = [
    { name: 'A', weight: 0 },
    { name: 'B', weight: 1 },
    { name: 'C', weight: 1 },
  ]
  const decided = decideWinner({ variants: first }, WINNER, facts(900, 50, 200))
  assert.deepEqual([decided.kind, decided.variant, decided.leads[0]?.over], ['winner', 2, 1])
})

test('without a real difference the rest gets `otherwise`, with the leads that were seen', () => {
  const decided = decideWinner({ variants }, WINNER, facts(101, 100))
  assert.deepEqual([decided.kind, decided.variant, decided.leads.length], ['no_difference', 1, 1])
})

test('too few people, nobody at all and one variant alone are not enough data: the rest gets `otherwise`', () => {
  const few = facts(20, 1).map((group) => ({ ...group, people: 29 }))
  const alone = [{ name: 'A', weight: 1 }, ...variants.slice(1).map((one) => ({ ...one, weight: 0 }))]
  for (const decided of [
    decideWinner({ variants }, WINNER, few),
    decideWinner({ variants }, WINNER, []),
    decideWinner({ variants: alone }, WINNER, facts(200)),
  ]) {
    assert.deepEqual([decided.kind, decided.variant, decided.leads], ['not_enough_data', 1, []])
  }
})
