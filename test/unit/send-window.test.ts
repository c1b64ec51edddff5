import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SendWindow } from '../../src/delivery/send-window.ts'
import { SendWindows } from '../../src/delivery/send-windows.ts'
import { FakeTime } from '../support/fake-time.ts'

const PROBES = 32
const STALLED_MS = 2_000

function openWindow(max = 100) {
  const time = new FakeTime()
  const window = new SendWindow(max, time.elapsed)
  /** Enters until there is no room, and gives how often that was. */
  const fill = (): number => {
    let entered = 0
    while (window.tryEnter()) entered += 1
    return entered
  }
  return { time, window, fill }
}

test('a push host gets a few messages before its first answer, and a full window after it', () => {
  const { window, fill } = openWindow()
  assert.equal(fill(), PROBES)
  for (let left = 0; left < PROBES; left += 1) window.leave('answered')
  assert.equal(window.inside, 0)
  assert.equal(fill(), 100)
})

test('a message without an answer makes the window small again', () => {
  const { window, fill } = openWindow()
  window.tryEnter()
  window.leave('answered')
  assert.equal(fill(), 100)
  for (let left = 0; left < 100; left += 1) window.leave('unanswered')
  assert.equal(fill(), PROBES)
})

test('a full window opens again when half of it is answered, and those who wait go in', async () => {
  const { window, fill } = openWindow(10)
  fill()
  const late = window.enter()
  for (let left = 0; left < 4; left += 1) window.leave('answered')
  assert.equal(window.tryEnter(), false)
  window.leave('answered')
  assert.equal(await late, true)
  assert.equal(window.inside, 6)
})

test('nobody waits for a window that is full and quiet, and the quieter it is the longer it is left alone', async () => {
  const { time, window, fill } = openWindow()
  fill()
  assert.equal(window.waitMs, 0)
  await time.pass(STALLED_MS)
  assert.equal(await window.enter(), false)
  assert.equal(window.waitMs, STALLED_MS)
  await time.pass(5_000)
  assert.equal(window.waitMs, STALLED_MS + 5_000)
  await time.pass(3_600_000)
  assert.equal(window.waitMs, 30_000)
  // Probes that were given up make room for others, and the next full window is left alone at once.
  for (let left = 0; left < PROBES; left += 1) window.leave('unanswered')
  assert.equal(window.waitMs, 0)
  assert.equal(fill(), PROBES)
  assert.equal(await window.enter(), false)
  window.leave('answered')
  assert.equal(window.waitMs, 0)
})

test('the time without an answer begins with the first message in flight, and anew with each answer', async () => {
  const { time, window, fill } = openWindow(10)
  window.tryEnter()
  window.leave('answered')
  await time.pass(10 * STALLED_MS)
  assert.equal(fill(), 10)
  assert.equal(window.waitMs, 0, 'nothing was in flight for long')
  await time.pass(STALLED_MS)
  window.leave('answered')
  await time.pass(STALLED_MS - 1)
  assert.equal(window.waitMs, 0)
  await time.pass(1)
  assert.equal(window.waitMs, STALLED_MS)
})

test('a push host is silent while a message in flight has had no answer for long', async () => {
  const { time, window } = openWindow()
  window.tryEnter()
  await time.pass(STALLED_MS - 1)
  assert.equal(window.isSilent, false)
  await time.pass(1)
  assert.equal(window.isSilent, true)
  window.leave('unanswered')
  assert.equal(window.isSilent, false, 'nothing is in flight')
})

test('a channel with one silent push host is noticed', (context) => {
  let now = 0
  context.mock.method(performance, 'now', () => now)
  const channel = new SendWindows({ windowMax: 10, unsettledMax: 10 }).of('a')
  channel.of('one')?.tryEnter()
  channel.of('two')?.tryEnter()
  now += STALLED_MS
  channel.of('two')?.leave('answered')
  assert.equal(channel.isAnySilent, true)
  channel.of('one')?.leave('answered')
  assert.equal(channel.isAnySilent, false)
})

test('a channel has as many messages sent and not settled as its lane allows', () => {
  const { unsettled } = new SendWindows({ windowMax: 10, unsettledMax: 3 }).of('a')
  unsettled.add(2)
  assert.equal(unsettled.isFull, false)
  unsettled.add(1)
  assert.equal(unsettled.isFull, true)
  unsettled.add(-1)
  assert.equal(unsettled.isFull, false)
})

test('each credential has a window of its own at each push host, at a hundred hosts at once', () => {
  const windows = new SendWindows({ windowMax: 10, unsettledMax: 10 })
  assert.equal(windows.of('a').of('one'), windows.of('a').of('one'))
  assert.notEqual(windows.of('a').of('one'), windows.of('b').of('one'))
  assert.notEqual(windows.of('a').of('one'), windows.of('a').of('two'))
  const many = windows.of('c')
  for (let host = 0; host < 100; host += 1) many.of(`host ${host}`)?.tryEnter()
  assert.equal(many.of('one more'), null)
  assert.notEqual(windows.of('a').of('three'), null)
  many.of('host 7')?.leave('answered')
  assert.notEqual(many.of('one more'), null)
})
