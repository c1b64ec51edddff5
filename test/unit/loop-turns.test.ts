import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoopTurns } from '../../src/runtime/limits/loop-turns.ts'

const STEP_MS = 3
const STEPS = 10
const WORKERS = 5
/** A slice of 4 ms has two steps at most, and a turn of the loop two slices: one in each of its phases. */
const STEPS_OF_TURN_MAX = 4

function step(): void {
  const until = performance.now() + STEP_MS
  while (performance.now() < until);
}

test('however many work at once, each turn of the loop has a bounded part of their steps', async () => {
  const turns = new LoopTurns()
  let steps = 0
  let most = 0
  const look = (): void => {
    most = Math.max(most, steps)
    steps = 0
    timer = setImmediate(look)
  }
  let timer = setImmediate(look)
  const work = async (): Promise<void> => {
    for (let done = 0; done < STEPS; done += 1) {
      if (turns.isOver) await turns.next()
      step()
      steps += 1
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, work))
  clearImmediate(timer)
  assert.ok(Math.max(most, steps) <= STEPS_OF_TURN_MAX, `${most} steps in one turn`)
})
