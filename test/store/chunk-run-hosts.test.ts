import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Verdict } from '../../src/domain/push/verdict.ts'
import { freshDatabase } from '../support/database/database.ts'
import {
  ACCEPTED,
  HOST,
  NEVER,
  near,
  openRun,
  runAnswered,
  stopTime,
  untilSent,
} from '../support/push/claimed-run.ts'
import { anyContent } from '../support/push/content.ts'
import { expectedCounts } from '../support/push/notifications.ts'

const fresh = await freshDatabase()
after(fresh.drop)

const COUNT = 3
const SLOW = 'https://slow.example'

function slowBut(place: number) {
  return (other: number) => (other === place ? HOST : SLOW)
}

test('a device whose push host is full comes last, and keeps no other waiting', async () => {
  const { run, sent, answer, counts } = await openRun(fresh, { windowMax: 1, hostAt: slowBut(2) })
  const running = run.run(NEVER)
  await untilSent(sent, 2)
  assert.deepEqual(sent, [0, 2])
  answer(0)
  await untilSent(sent, 3)
  assert.deepEqual(sent, [0, 2, 1])
  answer(1)
  answer(2)
  await running
  await run.finish()
  assert.deepEqual(await counts(), expectedCounts({ audience: COUNT, accepted: COUNT }))
})

test('a device that comes last keeps the bound of its channel, until an answer is written', async () => {
  const settlements: number[] = []
  const opened = await openRun(fresh, {
    windowMax: 1,
    unsettledMax: 2,
    hostAt: slowBut(2),
    onSend: () => settlements.push(opened.commits.settlements),
  })
  const { run, sent, answer } = opened
  const running = run.run(NEVER)
  await untilSent(sent, 2)
  answer(0)
  await untilSent(sent, COUNT)
  assert.deepEqual(sent, [0, 2, 1])
  assert.ok((settlements[2] ?? 0) > 0)
  answer(1)
  answer(2)
  await running
})

test('a device whose push host is full and silent waits for as long as the host is left alone', async (context) => {
  const time = stopTime(context)
  const { run, sent, answer, waits, counts } = await openRun(fresh, {
    windowMax: 1,
    hostAt: slowBut(2),
    onSend: (place, listener) => {
      if (place !== 2) return
      time.now += 2_500
      listener.onVerdict(ACCEPTED)
    },
  })
  const running = run.run(NEVER)
  await untilSent(sent, 2)
  answer(0)
  await running
  await run.finish()
  assert.deepEqual(sent, [0, 2])
  near((await waits())[0], 2.5)
  assert.deepEqual(await counts(), expectedCounts({ audience: COUNT, accepted: 2, pending: 1 }))
})

test('a device that waited for room is not sent to after the message expired', async () => {
  const { run, sent, answer, time, expiresAt, windows, counts } = await openRun(fresh, {
    count: 2,
    windowMax: 1,
  })
  const running = run.run(NEVER)
  await untilSent(sent, 1)
  time.now = expiresAt
  answer(0)
  await running
  await run.finish()
  assert.deepEqual([sent, windows.of(HOST)?.inside], [[0], 0])
  assert.deepEqual(await counts(), expectedCounts({ audience: 2, accepted: 1, expired: 1 }))
})

const BUSY = { kind: 'retry', reason: 'http_503', waitMs: 5_000, scope: 'host' } as const

test('while the main push host cools down its devices wait, and its channel gets no chunk', async (context) => {
  const time = stopTime(context)
  const { sent, rests, waits } = await runAnswered(fresh, () => BUSY)
  assert.deepEqual(sent, [0])
  near((await waits()).at(-1), 5)
  const [isResting] = rests
  assert.equal(isResting?.(), true)
  time.now += BUSY.waitMs
  assert.equal(isResting?.(), false)
})

test('the cool-down of one of many push hosts is not that of the channel', async () => {
  const { sent, rests } = await runAnswered(fresh, (place) => (place === 0 ? BUSY : ACCEPTED), {
    mainHost: null,
    hostAt: slowBut(2),
  })
  assert.deepEqual([sent, rests], [[0, 2], []])
})

test('messages are in flight to a hundred push hosts at once, and other hosts wait for a second', async () => {
  const { run, sent, answer, waits, counts } = await openRun(fresh, {
    count: 101,
    hostAt: (place) => `https://${place}.example`,
  })
  const running = run.run(NEVER)
  await untilSent(sent, 100)
  assert.equal(sent.length, 100)
  for (const place of sent) answer(place)
  await running
  await run.finish()
  near((await waits())[0], 1)
  assert.deepEqual(await counts(), expectedCounts({ audience: 101, accepted: 100, pending: 1 }))
})

test('a fault of our own stops the run for a while, blames no push host, and tries nobody', async () => {
  const { sent, windows, waits, counts } = await runAnswered(fresh, () => ACCEPTED, {
    onSend: () => {
      throw new Error('no token')
    },
  })
  assert.deepEqual(sent, [0])
  near((await waits())[0], 2)
  const window = windows.of(HOST)
  assert.deepEqual([window?.inside, window?.isProven], [0, false])
  assert.deepEqual(await counts(), expectedCounts({ audience: COUNT, pending: COUNT }))
})

test('a push host has proven itself when it answered, and not when it was busy or silent', async () => {
  const verdicts: readonly (readonly [Verdict, boolean])[] = [
    [ACCEPTED, true],
    [{ kind: 'refused', reason: 'BadTopic' }, true],
    [{ ...BUSY, waitMs: 0 }, false],
    [{ kind: 'unknown', reason: 'timeout' }, false],
  ]
  for (const [verdict, isProven] of verdicts) {
    const { windows } = await runAnswered(fresh, () => verdict)
    assert.equal(windows.of(HOST)?.isProven, isProven, verdict.kind)
  }
  const silent = await runAnswered(fresh, (place) =>
    place === 0 ? ACCEPTED : { kind: 'unknown', reason: 'timeout' },
  )
  assert.equal(silent.windows.of(HOST)?.isProven, false)
  const busy = await runAnswered(fresh, (place) => (place === 0 ? ACCEPTED : { ...BUSY, waitMs: 0 }))
  assert.equal(busy.windows.of(HOST)?.isProven, true)
})

test('a device that cannot be sent to, or whose text is empty, fails without a message', async () => {
  const content = anyContent({ title: '{{ user.name }}', body: '' })
  const { sent, counts } = await runAnswered(fresh, () => ACCEPTED, { content })
  assert.deepEqual([sent, await counts()], [[], expectedCounts({ audience: COUNT, failed: COUNT })])
  const absent = await runAnswered(fresh, () => ACCEPTED, {
    change: (recipient, place) => (place === 0 ? { ...recipient, absence: 'unsubscribed' } : recipient),
  })
  assert.deepEqual(absent.sent, [1, 2])
  assert.deepEqual(await absent.counts(), expectedCounts({ audience: COUNT, accepted: 2, failed: 1 }))
})

test('an answer to a virtual device cools nothing down and stops nobody', async () => {
  const busy = await runAnswered(fresh, (place) => (place === 0 ? BUSY : ACCEPTED), {
    change: (recipient, place) => ({ ...recipient, isVirtual: place === 0 }),
  })
  assert.deepEqual(busy.sent, [0, 1, 2])
})

const REFUSED = { kind: 'paused', reason: 'invalid_grant' } as const

test('a refused credential stops the run; refused by one of many push hosts, it goes on elsewhere', async () => {
  const one = await runAnswered(fresh, (place) => (place === 1 ? REFUSED : ACCEPTED))
  assert.deepEqual(one.sent, [0, 1])
  assert.deepEqual(await one.counts(), expectedCounts({ audience: COUNT, accepted: 1, pending: 2 }))
  const many = await runAnswered(fresh, (place) => (place === 1 ? REFUSED : ACCEPTED), {
    hasManyHosts: true,
    mainHost: null,
    hostAt: (place) => `https://${place}.example`,
  })
  assert.deepEqual(many.sent, [0, 1, 2])
  near((await many.waits())[0], 60)
  assert.deepEqual(await many.counts(), expectedCounts({ audience: COUNT, accepted: 2, pending: 1 }))
})
