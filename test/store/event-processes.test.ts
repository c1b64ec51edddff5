import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fitsLock } from '../../src/domain/events/attribute.ts'
import type { AttributeType } from '../../src/rules/attributes.ts'
import { freshDatabase } from '../support/database/database.ts'
import { catchUp, findMiscounts } from '../support/events/counting.ts'
import { entryOf, loadEvents } from '../support/events/events.ts'
import { makeLight } from '../support/processes/light-program.ts'
import type { Sending, Sent } from './event-sender.ts'

const { database, url, brand, drop } = await freshDatabase()
after(drop)
const sender = await makeLight(join(import.meta.dirname, 'event-sender.ts'))
after(sender.remove)

const RACERS = 100
/** So many start at a time: more would only be in each other's way. */
const STARTING = 10
/** Each is new to everybody when the race begins. */
const ATTRIBUTES = 6

const VALUES: readonly (readonly [AttributeType, unknown])[] = [
  ['string', 'text'],
  ['number', 7],
  ['boolean', true],
  ['date', '2026-01-01'],
  ['object', { a: 1 }],
  ['object_array', [{ a: 1 }]],
]

test(`${RACERS} processes race with different types: one lock each, every loser's value mistyped and reported`, async () => {
  const mine = await brand()
  const sent = await race(RACERS, (racer) => ({
    brandId: mine.brandId,
    calls: Array.from({ length: ATTRIBUTES }, (_, at) => [
      entryOf({ userID: `u${racer}`, attributes: { [`a${at}`]: typeAt(racer, at)[1] } }),
    ]),
  }))

  const { rows } = await database.query<{ attribute: string; type: AttributeType }>(
    'select attribute, type from attribute_locks where brand_id = $1',
    [mine.brandId],
  )
  assert.equal(rows.length, ATTRIBUTES)
  const locks = new Map(rows.map(({ attribute, type }) => [attribute, type]))
  const isLoser = (racer: number, at: number): boolean =>
    !fitsLock(locks.get(`a${at}`) ?? 'string', typeAt(racer, at)[0])
  for (const [racer, reported] of sent.entries())
    for (const [at, mistyped] of reported.entries()) {
      const attribute = `a${at}`
      const loss = { call: 0, index: 0, attribute, locked: locks.get(attribute) }
      assert.deepEqual(mistyped, isLoser(racer, at) ? [loss] : [], `${attribute} of process ${racer}`)
    }

  const events = await loadEvents(database, mine)
  assert.equal(events.length, RACERS * ATTRIBUTES)
  for (const { userId, attributes, mistyped } of events) {
    const [attribute = ''] = Object.keys(mistyped ?? attributes)
    const [racer, at] = [Number(userId.slice(1)), Number(attribute.slice(1))]
    const value = { [attribute]: typeAt(racer, at)[1] }
    const expected = isLoser(racer, at) ? [{}, value] : [value, null]
    assert.deepEqual([attributes, mistyped], expected, `${attribute} of process ${racer}`)
  }
})

test('the same event_ids from two processes count once each, whichever comes first', async () => {
  const mine = await brand()
  const ids = Array.from({ length: 400 }, (_, at) => `id-${1000 + at}`)
  const forward = Array.from({ length: 40 }, (_, at) =>
    ids.slice(at * 10, at * 10 + 10).map((event_id) => entryOf({ event_id, attributes: { event_id } })),
  )
  // Both make the same calls at the same time, with the ids inside them in opposite orders.
  const backward = forward.map((nv) => nv.toReversed())
  await race(2, (racer) => ({ brandId: mine.brandId, calls: racer === 0 ? forward : backward }))
  const { rows } = await database.query<{ eventId: string }>(
    'select event_id as "eventId" from events where brand_id = $1 order by event_id',
    [mine.brandId],
  )
  assert.deepEqual(
    rows.map(({ eventId }) => eventId),
    ids,
  )
  await catchUp(database, mine.brandId)
  assert.deepEqual(await findMiscounts(database, mine.brandId), [])
})

/** Neighbours never send the same type for the same attribute. */
function typeAt(racer: number, at: number): readonly [AttributeType, unknown] {
  return VALUES[(racer + at) % VALUES.length] ?? ['string', 'text']
}

/** Starts processes, and only when all are up tells each what to send. */
async function race(racers: number, sendingOf: (racer: number) => Sending): Promise<readonly Sent[]> {
  const children: ChildProcess[] = []
  try {
    while (children.length < racers) {
      const wave = Array.from({ length: Math.min(STARTING, racers - children.length) }, start)
      children.push(...wave)
      await Promise.all(wave.map(nextMessage))
    }
    return await Promise.all(
      children.map(async (child, racer) => {
        const answer = nextMessage<Sent>(child)
        child.send(sendingOf(racer))
        return answer
      }),
    )
  } finally {
    for (const child of children) child.kill()
  }
}

function start(): ChildProcess {
  return fork(sender.file, [url])
}

/** A process that ends without a word fails the test instead of holding it up. */
async function nextMessage<T>(child: ChildProcess): Promise<T> {
  const over = new AbortController()
  const ended = once(child, 'exit', { signal: over.signal }).then(([code]) => {
    throw new Error(`the process ended with ${code} before it said anything`)
  })
  const said: Promise<readonly T[]> = once(child, 'message', { signal: over.signal })
  try {
    const [message] = await Promise.race([said, ended])
    if (message === undefined) throw new Error('the process said nothing')
    return message
  } finally {
    ended.catch(() => undefined)
    over.abort()
  }
}
