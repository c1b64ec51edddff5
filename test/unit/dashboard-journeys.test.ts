import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JOURNEY_TEMPLATES } from '../../src/rules/journey-templates.ts'
import { differencesOf } from '../../web/dashboard/journeys/differences.ts'
import { bodyOf, draftOf, idOf, waysOf } from '../../web/dashboard/journeys/draft.ts'
import { addStep, changeStep, connect, removeStep, renameStep } from '../../web/dashboard/journeys/edits.ts'
import { edgesOf } from '../../web/dashboard/journeys/graph.ts'
import { layOut, NODE_HEIGHT, NODE_WIDTH } from '../../web/dashboard/journeys/layout.ts'
import { flawedPaths } from '../support/journeys/journeys.ts'

const OTP = draftOf(JOURNEY_TEMPLATES.otp)
const WIN_BACK = draftOf(JOURNEY_TEMPLATES.win_back)

test('every template is a good journey, and comes back from the canvas as it was', () => {
  for (const { name, ...document } of Object.values(JOURNEY_TEMPLATES)) {
    assert.deepEqual(flawedPaths(document), [], name)
    const { name: drawn, ...body } = bodyOf(draftOf({ name, ...document }))
    assert.equal(drawn, name)
    assert.deepEqual(flawedPaths(body), [], name)
    assert.deepEqual(body['steps'], withoutPlainWays(document.steps), name)
  }
})

/** A template may say a way that follows from the order; the canvas leaves it out. */
function withoutPlainWays(steps: readonly object[]): unknown {
  return bodyOf(draftOf({ steps }))['steps']
}

test('ways that follow from the order are drawn, and left out again', () => {
  assert.deepEqual(OTP.steps.map(waysOf), [
    [{ place: 'next', to: 'remind' }],
    [{ place: 'next', to: 'pause' }],
    [{ place: 'next', to: 'remind' }],
  ])
  assert.deepEqual(bodyOf(OTP)['steps'], JOURNEY_TEMPLATES.otp.steps)
})

test('a step is put into a way, and taken out of it again', () => {
  const { draft, id } = addStep(WIN_BACK, 'wait', { from: 'spent', place: 'no' })
  assert.equal(id, 'wait')
  assert.deepEqual(waysOf(draft.steps[1] ?? {}), [
    { place: 'yes', to: 'regular' },
    { place: 'no', to: 'wait' },
  ])
  assert.deepEqual(waysOf(draft.steps[2] ?? {}), [{ place: 'next', to: 'occasional' }])
  assert.deepEqual(removeStep(draft, 'wait'), WIN_BACK)
})

test('the first step is the one that the trigger leads to, also after it was removed or another was put before', () => {
  const { draft } = addStep(OTP, 'branch', { from: null, place: 'next' })
  assert.deepEqual(draft.steps.map(idOf), ['branch', 'wait', 'remind', 'pause'])
  assert.deepEqual(removeStep(OTP, 'wait').steps.map(idOf), ['remind', 'pause'])
  assert.deepEqual(connect(OTP, { from: null, place: 'next' }, 'pause').steps.map(idOf), [
    'pause',
    'wait',
    'remind',
  ])
})

test('a new name is told to every way, and a name that is taken changes nothing', () => {
  const renamed = renameStep(OTP, 'remind', 'nudge')
  assert.deepEqual(
    renamed.steps.map((step) => waysOf(step)[0]?.to),
    ['nudge', 'pause', 'nudge'],
  )
  for (const name of ['wait', 'end', '']) assert.equal(renameStep(OTP, 'remind', name), OTP)
})

test('the ways of a split are its shares', () => {
  const { draft } = addStep(OTP, 'split', { from: 'wait', place: 'next' })
  const led = connect(draft, { from: 'split', place: '1' }, 'end')
  assert.deepEqual(
    edgesOf(led).filter(({ from }) => from === 'step:split'),
    [
      { id: 'split 0', from: 'step:split', to: 'step:remind', place: '0', label: '50 %' },
      { id: 'split 1', from: 'step:split', to: 'end', place: '1', label: '50 %' },
    ],
  )
})

test('a layout runs from top to bottom, and no two steps stand on each other', () => {
  for (const template of Object.values(JOURNEY_TEMPLATES)) {
    const draft = draftOf(template)
    const ids = ['trigger', ...draft.steps.map((step) => `step:${idOf(step)}`), 'end']
    const { nodes } = layOut(ids, edgesOf(draft), 'end')
    assert.equal(nodes.size, ids.length)
    const placed = [...nodes.values()]
    for (const [index, one] of placed.entries()) {
      for (const other of placed.slice(index + 1))
        assert.ok(
          Math.abs(one.x - other.x) >= NODE_WIDTH || Math.abs(one.y - other.y) >= NODE_HEIGHT,
          template.name,
        )
    }
    assert.equal(nodes.get('trigger')?.y, 0)
    assert.ok(placed.every(({ y }) => y <= (nodes.get('end')?.y ?? 0)))
  }
})

test('a way that passes a step has a place beside it, and a way back a lane at the right', () => {
  const { nodes, edges, width } = layOut(
    ['trigger', 'a', 'b', 'end'],
    [
      { id: '1', from: 'trigger', to: 'a' },
      { id: '2', from: 'a', to: 'b' },
      { id: '3', from: 'a', to: 'end' },
      { id: '4', from: 'b', to: 'a' },
    ],
    'end',
  )
  const passing = edges.get('3')?.[0]
  const b = nodes.get('b')
  assert.ok(passing !== undefined && b !== undefined)
  assert.equal(passing.y, b.y)
  assert.ok(Math.abs(passing.x - b.x) > NODE_WIDTH / 2)
  assert.ok(edges.get('4')?.every(({ x }) => x > b.x + NODE_WIDTH / 2 && x < width))
})

test('the differences of two versions name each value that changed', () => {
  const step = OTP.steps[0] ?? {}
  const longer = changeStep(OTP, 'wait', { ...step, wait: { minutes: 15 } })
  const { draft } = addStep({ ...longer, goal: { event: 'code_entered' } }, 'set', {
    from: 'remind',
    place: 'next',
  })
  assert.deepEqual(differencesOf(OTP, OTP), [])
  assert.deepEqual(
    differencesOf(OTP, draft).map(({ step: id, field, change, before, after }) =>
      [id, field, change, before, after].join('|'),
    ),
    [
      '|goal.event|changed|otp_verified|code_entered',
      'wait|wait.minutes|changed|10|15',
      'remind|next|changed|pause|set',
      'set||added||set',
    ],
  )
  assert.deepEqual(
    differencesOf(draft, OTP).flatMap(({ step: id, change }) => (change === 'removed' ? [id] : [])),
    ['set'],
  )
})
