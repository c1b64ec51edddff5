import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { UNBOUND } from '../../src/delivery/pace.ts'
import { freshDatabase } from '../support/database/database.ts'
import { settled } from '../support/fake-time.ts'
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
import { expectedCounts } from '../support/push/notifications.ts'
import { until } from '../support/until.ts'

const fresh = await freshDatabase()
after(fresh.drop)

const COUNT = 3
const PASS_MS = 3_000

test('a run sends to each device once, each with a receipt of its own, and settles all answers', async () => {
  const { sent, receipts, counts, windows, waits } = await runAnswered(fresh, () => ACCEPTED)
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
  await untilSent(sent, 3)
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
      onSend: (place, listener) => {
        if (place === 1) end.abort()
        listener.onVerdict(ACCEPTED)
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
  await untilSent(sent, 480)
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
  const settlements: number[] = []
  const opened = await openRun(fresh, {
    unsettledMax: 2,
    onSend: () => settlements.push(opened.commits.settlements),
  })
  const { run, sent, answer, windows, counts } = opened
  const running = run.run(NEVER)
  await untilSent(sent, 2)
  assert.deepEqual([sent, windows.unsettled.isFull], [[0, 1], true])
  answer(0)
  answer(1)
  await untilSent(sent, COUNT)
  assert.ok((settlements[2] ?? 0) > 0)
  answer(2)
  await running
  assert.equal(windows.unsettled.isFull, false)
  await run.finish()
  assert.deepEqual(await counts(), expectedCounts({ audience: COUNT, accepted: COUNT }))
})

test('a message is sent until its last moment and never after it', async () => {
  const last = await openRun(fresh, {
    onSend: (place, listener) => {
      if (place === 0) last.time.now = last.expiresAt - 1
      if (place === 1) last.time.now = last.expiresAt
      listener.onVerdict(ACCEPTED)
    },
  })
  await last.run.run(NEVER)
  await last.run.finish()
  assert.deepEqual(last.sent, [0, 1])
  assert.deepEqual(await last.counts(), expectedCounts({ audience: COUNT, accepted: 2, expired: 1 }))
})

test('after the time of a pass the rest is given back, to be looked up anew', async (context) => {
  const time = stopTime(context)
  const { sent, waits, counts } = await runAnswered(fresh, () => ACCEPTED, {
    onSend: (place, listener) => {
      time.now += place === 0 ? PASS_MS : 1
      listener.onVerdict(ACCEPTED)
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
    onSend: (place, listener) => {
      time.now += steps[place] ?? 0
      if (place > 0) listener.onVerdict(ACCEPTED)
    },
  })
  const running = run.run(NEVER)
  await untilSent(sent, 3)
  assert.deepEqual(sent, [0, 1, 2])
  answer(0)
  await running
  await run.finish()
  assert.deepEqual(await counts(), expectedCounts({ audience: 4, accepted: 3, pending: 1 }))
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
    onSend: (place, listener) => {
      if (place === 1) opened.time.now = opened.expiresAt
      listener.onVerdict(ACCEPTED)
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
  const { sent, waits, counts } = await runAnswered(fresh, () => ACCEPTED, { pace })
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
  await runAnswered(fresh, () => ACCEPTED, {
    onSend: (place, listener) => {
      seen.push(`device ${place}`)
      setImmediate(() => seen.push('else'))
      time.now += 4
      listener.onVerdict(ACCEPTED)
    },
  })
  assert.deepEqual(seen.slice(0, 5), ['device 0', 'else', 'device 1', 'else', 'device 2'])
})
