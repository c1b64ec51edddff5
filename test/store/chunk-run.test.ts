import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { UNBOUND } from '../../src/delivery/pace.ts'
import type { Verdict } from '../../src/domain/push/verdict.ts'
import { freshDatabase } from '../support/database/database.ts'
import { settled } from '../support/fake-time.ts'
import { HOST, openRun, type RunOptions } from '../support/push/claimed-run.ts'
import { anyContent } from '../support/push/content.ts'
import { expectedCounts } from '../support/push/notifications.ts'
import { until } from '../support/until.ts'

const fresh = await freshDatabase()
after(fresh.drop)

const ACCEPTED = { kind: 'accepted' } as const
const NEVER = new AbortController().signal
const COUNT = 3
const PASS_MS = 3_000

/** A run whose provider gives each device this answer at once. */
async function runAnswered(answers: (place: number) => Verdict, options: RunOptions = {}) {
  const opened = await openRun(fresh, {
    onSend: (place, { onVerdict }) => onVerdict(answers(place)),
    ...options,
  })
  await opened.run.run(NEVER)
  await opened.run.finish()
  return opened
}

/** Time that stands still until the test moves it. */
function stopTime(context: TestContext): { now: number } {
  const time = { now: Math.ceil(performance.now()) }
  context.mock.method(performance, 'now', () => time.now)
  return time
}

function near(seconds: number | undefined, wanted: number): void {
  assert.ok(
    seconds !== undefined && Math.abs(seconds - wanted) < Math.max(1, wanted / 2),
    `${seconds} seconds`,
  )
}

test('a run sends to each device once, each with a receipt of its own, and settles all answers', async () => {
  const { sent, receipts, counts, windows, waits } = await runAnswered(() => ACCEPTED)
  assert.deepEqual([sent, receipts.size], [[0, 1, 2], COUNT])
  assert.deepEqual(await counts(), expectedCounts({ audience: COUNT, accepted: COUNT }))
  assert.deepEqual(await waits(), [])
  assert.equal(windows.of(HOST)?.inside, 0)
})

test('a run ends after the last answer, and an answer that comes twice counts once', async () => {
  const { run, sent, answer, counts, windows } = await openRun(fresh)
  let isEnded = false
  const running = run.run(NEVER).then(() => {
    isEnded = true
    return isEnded
  })
  await settled()
  assert.deepEqual(sent, [0, 1, 2])
  answer(0)
  answer(0)
  answer(1)
  await settled()
  assert.equal(isEnded, false)
  assert.equal(windows.of(HOST)?.inside, 1)
  answer(2)
  await running
  await run.finish()
  assert.deepEqual(await counts(), expectedCounts({ audience: COUNT, accepted: COUNT }))
})

test('a worker that stops sends nothing more, and gives the rest back at once', async () => {
  const stopped = await openRun(fresh)
  await stopped.run.run(AbortSignal.abort())
  await stopped.run.finish()
  assert.deepEqual([stopped.sent, (await stopped.waits()).length], [[], 1])
  const end = new AbortController()
  const { sent, counts, waits } = await (async () => {
    const opened = await openRun(fresh, {
      onSend: (place, { onVerdict }) => {
        if (place === 1) end.abort()
        onVerdict(ACCEPTED)
      },
    })
    await opened.run.run(end.signal)
    await opened.run.finish()
    return opened
  })()
  assert.deepEqual(sent, [0, 1])
  const [seconds = Number.NaN] = await waits()
  assert.ok(seconds <= 0, `${seconds} seconds`)
  assert.deepEqual(await counts(), expectedCounts({ audience: COUNT, accepted: 2, pending: 1 }))
})

test('a run keeps a bound of messages that are sent and not settled', async () => {
  const { run, isBulk, sent, answer, windows, counts } = await openRun(fresh, { count: 490 })
  assert.equal(isBulk, true)
  // A push host that has not answered yet gets fewer messages.
  windows.of(HOST)?.tryEnter()
  windows.of(HOST)?.leave('answered')
  const running = run.run(NEVER)
  await settled()
  assert.equal(sent.length, 480)
  for (let place = 0; place < 480; place += 1) answer(place)
  assert.equal(sent.length, 480, 'answers that are not written count')
  await until(() => sent.length === 490, { what: 'the rest' })
  for (let place = 480; place < 490; place += 1) answer(place)
  await running
  await run.finish()
  assert.deepEqual(await counts(), expectedCounts({ audience: 490, accepted: 490 }))
})

test('the runs of a channel share a bound too, which counts until the answers are written', async () => {
  const { run, sent, answer, windows, commits, counts } = await openRun(fresh, { unsettledMax: 2 })
  const running = run.run(NEVER)
  await settled()
  assert.deepEqual([sent, windows.unsettled.isFull], [[0, 1], true])
  answer(0)
  answer(1)
  await settled()
  assert.equal(sent.length, 2)
  await until(() => sent.length === COUNT, { what: 'the third message' })
  assert.equal(commits.settlements, 1)
  answer(2)
  await running
  assert.equal(windows.unsettled.isFull, false)
  await run.finish()
  assert.deepEqual(await counts(), expectedCounts({ audience: COUNT, accepted: COUNT }))
})

test('a message is sent until its last moment and never after it', async () => {
  const last = await openRun(fresh, {
    onSend: (place, { onVerdict }) => {
      if (place === 0) last.time.now = last.expiresAt - 1
      if (place === 1) last.time.now = last.expiresAt
      onVerdict(ACCEPTED)
    },
  })
  await last.run.run(NEVER)
  await last.run.finish()
  assert.deepEqual(last.sent, [0, 1])
  assert.deepEqual(await last.counts(), expectedCounts({ audience: COUNT, accepted: 2, expired: 1 }))
})

test('after the time of a pass the rest is given back, to be looked up anew', async (context) => {
  const time = stopTime(context)
  const { sent, waits, counts } = await runAnswered(() => ACCEPTED, {
    onSend: (place, { onVerdict }) => {
      time.now += place === 0 ? PASS_MS : 1
      onVerdict(ACCEPTED)
    },
  })
  assert.deepEqual(sent, [0, 1])
  assert.equal((await waits()).length, 1)
  assert.deepEqual(await counts(), expectedCounts({ audience: COUNT, accepted: 2, pending: 1 }))
})

test('beside a silent push host a pass may take longer, up to a bound', async (context) => {
  const time = stopTime(context)
  const steps = [PASS_MS + 1, 10_000 - 1, 1]
  const { run, sent, answer, counts } = await openRun(fresh, {
    count: 4,
    hostAt: (place) => (place === 0 ? 'https://silent.example' : HOST),
    onSend: (place, { onVerdict }) => {
      time.now += steps[place] ?? 0
      if (place > 0) onVerdict(ACCEPTED)
    },
  })
  const running = run.run(NEVER)
  await settled()
  assert.deepEqual(sent, [0, 1, 2])
  answer(0)
  await running
  await run.finish()
  assert.deepEqual(await counts(), expectedCounts({ audience: 4, accepted: 3, pending: 1 }))
})

const SLOW = 'https://slow.example'

function slowBut(place: number) {
  return (other: number) => (other === place ? HOST : SLOW)
}

test('a device whose push host is full comes last, and keeps no other waiting', async () => {
  const { run, sent, answer, counts } = await openRun(fresh, { windowMax: 1, hostAt: slowBut(2) })
  const running = run.run(NEVER)
  await settled()
  assert.deepEqual(sent, [0, 2])
  answer(0)
  await settled()
  assert.deepEqual(sent, [0, 2, 1])
  answer(1)
  answer(2)
  await running
  await run.finish()
  assert.deepEqual(await counts(), expectedCounts({ audience: COUNT, accepted: COUNT }))
})

test('a device that comes last keeps the bound of its channel', async () => {
  const bounds = { windowMax: 1, unsettledMax: 2 }
  const { run, sent, answer, commits } = await openRun(fresh, { ...bounds, hostAt: slowBut(2) })
  const running = run.run(NEVER)
  await settled()
  answer(0)
  await settled()
  assert.deepEqual([sent, commits.settlements], [[0, 2], 0])
  await until(() => sent.length === COUNT, { what: 'the last device' })
  assert.equal(commits.settlements, 1)
  answer(1)
  answer(2)
  await running
})

test('a device whose push host is full and silent waits for as long as the host is left alone', async (context) => {
  const time = stopTime(context)
  const { run, sent, answer, waits, counts } = await openRun(fresh, {
    windowMax: 1,
    hostAt: slowBut(2),
    onSend: (place, { onVerdict }) => {
      if (place !== 2) return
      time.now += 2_500
      onVerdict(ACCEPTED)
    },
  })
  const running = run.run(NEVER)
  await settled()
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
  await settled()
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
  const { sent, rests, waits } = await runAnswered(() => BUSY)
  assert.deepEqual(sent, [0])
  near((await waits()).at(-1), 5)
  const [isResting] = rests
  assert.equal(isResting?.(), true)
  time.now += BUSY.waitMs
  assert.equal(isResting?.(), false)
})

test('the cool-down of one of many push hosts is not that of the channel', async () => {
  const { sent, rests } = await runAnswered((place) => (place === 0 ? BUSY : ACCEPTED), {
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
  await settled()
  assert.equal(sent.length, 100)
  for (const place of sent) answer(place)
  await running
  await run.finish()
  near((await waits())[0], 1)
  assert.deepEqual(await counts(), expectedCounts({ audience: 101, accepted: 100, pending: 1 }))
})

test('a fault of our own stops the run for a while, blames no push host, and tries nobody', async () => {
  const { sent, windows, waits, counts } = await runAnswered(() => ACCEPTED, {
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
    const { windows } = await runAnswered(() => verdict)
    assert.equal(windows.of(HOST)?.isProven, isProven, verdict.kind)
  }
  const silent = await runAnswered((place) =>
    place === 0 ? ACCEPTED : { kind: 'unknown', reason: 'timeout' },
  )
  assert.equal(silent.windows.of(HOST)?.isProven, false)
  const busy = await runAnswered((place) => (place === 0 ? ACCEPTED : { ...BUSY, waitMs: 0 }))
  assert.equal(busy.windows.of(HOST)?.isProven, true)
})

test('a device that cannot be sent to, or whose text is empty, fails without a message', async () => {
  const content = anyContent({ title: '{{ user.name }}', body: '' })
  const { sent, counts } = await runAnswered(() => ACCEPTED, { content })
  assert.deepEqual([sent, await counts()], [[], expectedCounts({ audience: COUNT, failed: COUNT })])
  const absent = await runAnswered(() => ACCEPTED, {
    change: (recipient, place) => (place === 0 ? { ...recipient, absence: 'unsubscribed' } : recipient),
  })
  assert.deepEqual(absent.sent, [1, 2])
  assert.deepEqual(await absent.counts(), expectedCounts({ audience: COUNT, accepted: 2, failed: 1 }))
})

test('an answer to a virtual device cools nothing down and stops nobody', async () => {
  const change: RunOptions['change'] = (recipient, place) => ({ ...recipient, isVirtual: place === 0 })
  const busy = await runAnswered((place) => (place === 0 ? BUSY : ACCEPTED), { change })
  assert.deepEqual(busy.sent, [0, 1, 2])
})

const REFUSED = { kind: 'paused', reason: 'invalid_grant' } as const

test('a refused credential stops the run; refused by one of many push hosts, it goes on elsewhere', async () => {
  const one = await runAnswered((place) => (place === 1 ? REFUSED : ACCEPTED))
  assert.deepEqual(one.sent, [0, 1])
  assert.deepEqual(await one.counts(), expectedCounts({ audience: COUNT, accepted: 1, pending: 2 }))
  const many = await runAnswered((place) => (place === 1 ? REFUSED : ACCEPTED), {
    hasManyHosts: true,
    mainHost: null,
    hostAt: (place) => `https://${place}.example`,
  })
  assert.deepEqual(many.sent, [0, 1, 2])
  near((await many.waits())[0], 60)
  assert.deepEqual(await many.counts(), expectedCounts({ audience: COUNT, accepted: 2, pending: 1 }))
})

test('each message waits for its turn, and none waits after the message expired', async () => {
  const turns: number[] = []
  const pace = {
    ...UNBOUND,
    turn: async (index: number) => {
      turns.push(index)
    },
  }
  const opened = await openRun(fresh, {
    pace,
    onSend: (place, { onVerdict }) => {
      if (place === 1) opened.time.now = opened.expiresAt
      onVerdict(ACCEPTED)
    },
  })
  await opened.run.run(NEVER)
  assert.deepEqual(
    [turns, opened.sent],
    [
      [0, 1],
      [0, 1],
    ],
  )
})

test('a throttled run sends its share, and gives the rest back for the next share', async () => {
  const pace = { count: 2, turn: async () => undefined, leftMs: (index: number) => index * 5_000 }
  const { sent, waits, counts } = await runAnswered(() => ACCEPTED, { pace })
  assert.deepEqual(sent, [0, 1])
  near((await waits())[0], 10)
  assert.deepEqual(await counts(), expectedCounts({ audience: COUNT, accepted: 2, pending: 1 }))
})

test('a run that waits for its pace notices a cancellation', async (context) => {
  const time = stopTime(context)
  const second = Promise.withResolvers<void>()
  const pace = { ...UNBOUND, turn: async (index: number) => (index === 1 ? second.promise : undefined) }
  const { run, sent, commits, cancel, answer, counts } = await openRun(fresh, { pace })
  const running = run.run(NEVER)
  await cancel()
  time.now += 500
  await until(() => commits.settlements > 0, { what: 'a question to the database' })
  second.resolve()
  await settled()
  answer(0)
  await running
  await run.finish()
  assert.deepEqual(sent, [0])
  assert.deepEqual(await counts(), expectedCounts({ audience: COUNT, accepted: 1, cancelled: 2 }))
})

test('a run lets everything else go on between two slices of its work', async (context) => {
  const time = stopTime(context)
  const seen: string[] = []
  await runAnswered(() => ACCEPTED, {
    onSend: (place, { onVerdict }) => {
      seen.push(`device ${place}`)
      setImmediate(() => seen.push('else'))
      time.now += 4
      onVerdict(ACCEPTED)
    },
  })
  assert.deepEqual(seen.slice(0, 5), ['device 0', 'else', 'device 1', 'else', 'device 2'])
})
