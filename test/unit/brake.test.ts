import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  acceptancesKept,
  type BrakeAnswer,
  type BrakeBudget,
  blameOf,
  drawBudget,
  FULL_BUDGET,
  heldVerdict,
} from '../../src/domain/push/brake.ts'
import type { Verdict } from '../../src/domain/push/verdict.ts'
import { BRAKE_RULES } from '../../src/rules/push.ts'

const { devicesMax, givenBack } = BRAKE_RULES
const SUSPECT: Verdict = { kind: 'gone', reason: 'BadDeviceToken', goneAt: null, isSuspect: true }
const DEAD: Verdict = { kind: 'gone', reason: 'http_410', goneAt: null, isSuspect: false }

/** Answers a millisecond apart: `+` accepts, `-` blames the device. */
function answersOf(signs: string, from = 1): readonly BrakeAnswer[] {
  return signs.split('').map((sign, place) => ({ at: from + place, isAccepted: sign === '+' }))
}

function retired(mayRetire: readonly boolean[]): number {
  return mayRetire.filter(Boolean).length
}

for (const kind of ['setting', 'host'] as const) {
  test(`at most ${devicesMax} devices are retired in a row, whatever was accepted before (${kind})`, () => {
    for (const accepted of [0, 1, 40, 1_000]) {
      const { mayRetire, budget } = drawBudget(
        FULL_BUDGET,
        answersOf('+'.repeat(accepted) + '-'.repeat(50)),
        kind,
      )
      assert.equal(retired(mayRetire), devicesMax)
      assert.equal(budget.left, 0)
    }
  })

  test(`acceptances from before the last blame give nothing back (${kind})`, () => {
    const empty: BrakeBudget = { left: 0, blamedAt: 500 }
    const late = drawBudget(empty, answersOf(`${'+'.repeat(400)}-`), kind)
    assert.equal(retired(late.mayRetire), 0)
    assert.equal(late.budget.blamedAt, 500)
    const together = drawBudget(empty, [{ at: 500, isAccepted: true }], kind)
    assert.equal(together.budget.left, 0)
    const fresh = drawBudget(empty, answersOf(`${'+'.repeat(400)}-`, 501), kind)
    assert.equal(retired(fresh.mayRetire), 1)
    assert.equal(fresh.budget.blamedAt, 901)
  })

  test(`an empty budget is full again after the acceptances that are kept, and not one sooner (${kind})`, () => {
    const after = (count: number) =>
      drawBudget({ left: 0, blamedAt: 0 }, answersOf('+'.repeat(count)), kind).budget.left
    assert.equal(after(acceptancesKept(kind)), devicesMax)
    assert.ok(after(acceptancesKept(kind) - 1) < devicesMax)
  })
}

test('one bad address in five never uses the budget up, one in four does', () => {
  assert.equal(1 / (1 + 1 / givenBack.setting), 0.2)
  const steady = drawBudget(FULL_BUDGET, answersOf('++++-'.repeat(500)), 'setting')
  assert.equal(retired(steady.mayRetire), 500)
  const many = drawBudget(FULL_BUDGET, answersOf('+++-'.repeat(500)), 'setting')
  assert.ok(retired(many.mayRetire) < 500)
})

test('a push host where most browsers are gone may retire them as long as it accepts any', () => {
  const { mayRetire } = drawBudget(FULL_BUDGET, answersOf('---------+'.repeat(100)), 'host')
  assert.equal(retired(mayRetire), 900)
})

test('a verdict that is held never retires: a setting leaves it untried, a browser is tried again, an app fails', () => {
  assert.deepEqual(
    [blameOf(SUSPECT), blameOf(DEAD), blameOf({ kind: 'accepted' })],
    ['setting', 'host', null],
  )
  assert.equal(heldVerdict(SUSPECT, { hasManyHosts: false }), null)
  const again = { kind: 'retry', reason: 'http_410', waitMs: 0, scope: 'address' } as const
  assert.deepEqual(heldVerdict(DEAD, { hasManyHosts: true }), again)
  assert.deepEqual(heldVerdict(DEAD, { hasManyHosts: false }), { kind: 'refused', reason: 'http_410' })
})
