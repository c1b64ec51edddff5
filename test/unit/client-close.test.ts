import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, type ClientOptions } from '../../web/client/client.ts'

for (const { name, deadlineMs, tookMs } of [
  { name: 'the usual time', deadlineMs: undefined, tookMs: 60_000 },
  { name: 'the usual time, if it is null', deadlineMs: null, tookMs: 60_000 },
  { name: 'the time of the client', deadlineMs: 5_000, tookMs: 5_000 },
])
  test(`close() gives all batches together the time of one, and loses the rest: ${name}`, async (context) => {
    let now = 0
    context.mock.method(performance, 'now', () => now)
    const closing = Promise.withResolvers<void>()
    const away = context.mock.method(globalThis, 'fetch', async () => {
      await closing.promise
      now += tookMs / 2
      throw new Error('nobody answers')
    })
    const lost: string[] = []
    const onLost: ClientOptions['onLost'] = (_, { kind }) => lost.push(kind)
    const given = deadlineMs === undefined ? {} : { deadlineMs }
    const client = new Client({ url: 'http://beckon.invalid', key: 'bk_secret_x', onLost, ...given })
    for (let at = 0; at < 1_500; at += 1)
      void client.track({ userID: 'ada', event_name: 'looked', attributes: {} })
    const closed = client.close()
    closing.resolve()
    await closed
    assert.equal(now, tookMs)
    assert.equal(away.mock.callCount(), 2)
    assert.deepEqual(new Set(lost), new Set(['lost']))
    assert.equal(lost.length, 1_500)
  })
