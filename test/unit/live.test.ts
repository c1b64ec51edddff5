import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  afterBatch,
  batchOf,
  isLater,
  isWholeBatch,
  parsePosition,
  positionText,
} from '../../src/domain/events/tail-position.ts'
import { addSample, type ProgressSample, predictEnd, rateOfSamples } from '../../src/domain/live/progress.ts'
import { LiveStream } from '../../src/http/live/stream.ts'
import type { LiveUpdate } from '../../src/http/live/update.ts'
import { LIVE_LIMITS } from '../../src/rules/live.ts'

const { rateWindowMs, bufferBytesMax } = LIVE_LIMITS

function at(seconds: number, settled: number): ProgressSample {
  return { at: seconds * 1000, settled }
}

test('the rate is that of the window, and needs two samples', () => {
  assert.equal(rateOfSamples([]), null)
  assert.equal(rateOfSamples([at(1, 5)]), null)
  assert.equal(rateOfSamples([at(1, 5), at(1, 9)]), null)
  assert.equal(rateOfSamples([at(1, 0), at(3, 5)]), 2.5)
  const windowSeconds = rateWindowMs / 1000
  const samples = Array.from({ length: 60 }, (_, n) => at(n, n < 30 ? 0 : (n - 30) * 7))
  const kept = samples.reduce<readonly ProgressSample[]>(addSample, [])
  assert.equal(kept.length, windowSeconds + 1)
  assert.equal(rateOfSamples(kept), 7)
})

test('an end is predicted only while something moves and something is left', () => {
  assert.equal(predictEnd({ pending: 0, rate: 5, now: 0 }), null)
  assert.equal(predictEnd({ pending: 5, rate: null, now: 0 }), null)
  assert.equal(predictEnd({ pending: 5, rate: 0, now: 0 }), null)
  assert.equal(predictEnd({ pending: 5, rate: 2, now: 1000 }), 3500)
})

test('positions are ordered by transaction and then by event, and survive their text', () => {
  const [one, two] = [
    { tx: '9', eventId: 5000n },
    { tx: '10', eventId: 1024n },
  ]
  assert.deepEqual([isLater(two, one), isLater(one, two), isLater(one, one)], [true, false, false])
  assert.equal(isLater({ tx: '9', eventId: 5001n }, one), true)
  assert.equal(batchOf(5000n), 4096n)
  const after = afterBatch({ tx: '9', batchId: 4096n })
  assert.deepEqual([isWholeBatch(after), isWholeBatch(one), isLater(after, one)], [true, false, true])
  assert.deepEqual(parsePosition(positionText(one)), one)
  for (const text of ['', '9', '-1-5', '9-', 'x-1', '1-99999999999999999999']) {
    assert.equal(parsePosition(text), null, text)
  }
})

function stepOf(bytes: number, text: string): LiveUpdate {
  return { kind: 'step', bytes, messagesFor: () => [{ place: { tx: '1', eventId: 1n }, text }] }
}

test('of a state only the newest waits, and a stream that closes shows nothing more', async () => {
  const stream = new LiveStream({ scopes: [], cut: () => undefined, retryMs: 1 })
  for (const text of ['old', 'new']) stream.push({ kind: 'state', subject: 's', textFor: () => text })
  const reading = stream.read()
  assert.equal((await reading.next()).value, 'new')
  stream.push({ kind: 'state', subject: 's', textFor: () => 'secret' })
  stream.close('unauthenticated')
  const last = await reading.next()
  assert.match(String(last.value), /^retry: 1\nevent: closed\ndata: \{"reason":"unauthenticated"/)
  assert.equal((await reading.next()).done, true)
  stream.end()
})

test('a reader may be behind by the bound of bytes, and one byte more closes its stream', () => {
  const stream = new LiveStream({ scopes: [], cut: () => undefined, retryMs: 1 })
  stream.push(stepOf(bufferBytesMax - 1, 'a'))
  stream.push(stepOf(1, 'b'))
  assert.equal(stream.isOpen, true)
  stream.push(stepOf(1, 'c'))
  assert.equal(stream.isOpen, false)
  stream.end()
  const fresh = new LiveStream({ scopes: [], cut: () => undefined, retryMs: 1 })
  fresh.push(stepOf(2 * bufferBytesMax, 'one look may be larger'))
  assert.equal(fresh.isOpen, true)
  fresh.end()
})
