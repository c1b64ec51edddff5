import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChannelSlots, type SlotUse } from '../../src/delivery/channel-slots.ts'
import { SendWindow } from '../../src/delivery/send-window.ts'
import { FakeTime } from '../support/fake-time.ts'

const IOS = { brandId: 1, platform: 'ios' } as const
const ANDROID = { brandId: 1, platform: 'android' } as const

function openSlots(bounds = { slotsMax: 2, openMax: 3 }) {
  const seen = { left: 0, rooms: 0 }
  const slots = new ChannelSlots(bounds, () => {
    seen.rooms += 1
  })
  const slot = {
    leave: () => {
      seen.left += 1
    },
  }
  /** Works on a chunk until it is told to end. */
  const begin = (ref: typeof IOS | typeof ANDROID) => {
    const end = Promise.withResolvers<void>()
    const used = Promise.withResolvers<SlotUse>()
    const ended = slots.run(ref, slot, async (use) => {
      used.resolve(use)
      await end.promise
    })
    return {
      use: used.promise,
      end: async () => {
        end.resolve()
        await ended
      },
    }
  }
  return { slots, seen, begin }
}

test('a channel has its share of the slots, and more when a chunk gives its slot up, up to a bound', async () => {
  const { slots, seen, begin } = openSlots()
  assert.deepEqual(slots.rooms(), [])
  const first = begin(IOS)
  const second = begin(IOS)
  begin(ANDROID)
  assert.deepEqual(slots.rooms(), [
    { ...IOS, room: 0 },
    { ...ANDROID, room: 1 },
  ])
  const use = await first.use
  use.leave()
  use.leave()
  assert.equal(seen.left, 1)
  assert.deepEqual(slots.rooms()[0], { ...IOS, room: 1 })
  const third = begin(IOS)
  ;(await third.use).send()
  assert.equal(seen.left, 2, 'a chunk of a slow channel does not wait to give its slot up')
  assert.deepEqual(slots.rooms()[0], { ...IOS, room: 0 })
  await second.end()
  assert.equal(seen.rooms, 1)
  assert.deepEqual(slots.rooms()[0], { ...IOS, room: 1 })
  await first.end()
  await third.end()
  assert.deepEqual(slots.rooms(), [{ ...ANDROID, room: 1 }])
})

test('a channel whose only push host is stalled gets no chunk until an answer comes', async () => {
  const { slots, begin } = openSlots()
  const time = new FakeTime()
  const window = new SendWindow(1, time.elapsed)
  window.tryEnter()
  await time.pass(10_000)
  const chunk = begin(IOS)
  ;(await chunk.use).stall(window)
  assert.deepEqual(slots.rooms(), [{ ...IOS, room: 0 }])
  await chunk.end()
  assert.deepEqual(slots.rooms(), [{ ...IOS, room: 0 }])
  window.leave('answered')
  assert.deepEqual(slots.rooms(), [])
})
