import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChannelSlots, type SendWay, type SlotUse } from '../../src/delivery/channel-slots.ts'
import { SendWindow } from '../../src/delivery/send-window.ts'
import { Unsettled } from '../../src/delivery/unsettled.ts'
import { FakeTime } from '../support/fake-time.ts'

const IOS = { brandId: 1, platform: 'ios' } as const
const ANDROID = { brandId: 1, platform: 'android' } as const

function openSlots(bounds = { slotsMax: 2, openMax: 3, probeMax: 2 }) {
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

/** The way through a push host that has answered. */
function provenWay(): SendWay {
  const window = new SendWindow(10)
  window.tryEnter()
  window.leave('answered')
  return { window, unsettled: new Unsettled(10) }
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
  ;(await first.use).send(provenWay())
  assert.equal(seen.left, 0, 'the first chunk of a channel keeps its slot while it may still be quick')
  while (seen.left === 0) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(slots.rooms()[0], { ...IOS, room: 1 })
  const third = begin(IOS)
  ;(await third.use).send(provenWay())
  assert.equal(seen.left, 2, 'a chunk of a slow channel does not wait to give its slot up')
  assert.deepEqual(slots.rooms()[0], { ...IOS, room: 0 })
  await second.end()
  assert.equal(seen.rooms, 1)
  assert.deepEqual(slots.rooms()[0], { ...IOS, room: 1 })
  await first.end()
  await third.end()
  assert.deepEqual(slots.rooms(), [{ ...ANDROID, room: 1 }])
})

test('a channel gets few chunks before its push host has answered, and none while that is left alone', async () => {
  const { slots, begin } = openSlots({ slotsMax: 5, openMax: 5, probeMax: 2 })
  const time = new FakeTime()
  const window = new SendWindow(1, time.elapsed)
  const chunk = begin(IOS)
  const use = await chunk.use
  use.send({ window, unsettled: new Unsettled(10) })
  assert.deepEqual(slots.rooms(), [{ ...IOS, room: 1 }])
  let isCool = false
  use.rest(() => !isCool)
  assert.deepEqual(slots.rooms(), [{ ...IOS, room: 0 }])
  isCool = true
  window.tryEnter()
  await time.pass(10_000)
  assert.deepEqual(slots.rooms(), [{ ...IOS, room: 0 }], 'the window is stalled')
  window.leave('answered')
  assert.deepEqual(slots.rooms(), [{ ...IOS, room: 4 }])
  await chunk.end()
  assert.deepEqual(slots.rooms(), [])
})

test('a channel with as many unsettled messages as it may have gets no further chunk', async () => {
  const { slots, begin } = openSlots()
  const unsettled = new Unsettled(10)
  const chunk = begin(IOS)
  ;(await chunk.use).send({ window: null, unsettled })
  unsettled.add(9)
  assert.deepEqual(slots.rooms(), [{ ...IOS, room: 1 }])
  unsettled.add(1)
  assert.deepEqual(slots.rooms(), [{ ...IOS, room: 0 }])
  unsettled.add(-1)
  assert.deepEqual(slots.rooms(), [{ ...IOS, room: 1 }], 'one place is worth a chunk')
  await chunk.end()
  assert.deepEqual(slots.rooms(), [])
})

test('a channel with full slots gets chunks again when a quarter is free, and the loop is woken once for that', async () => {
  const { slots, seen, begin } = openSlots({ slotsMax: 8, openMax: 8, probeMax: 8 })
  const chunks = Array.from({ length: 6 }, () => begin(IOS))
  assert.deepEqual(slots.rooms(), [{ ...IOS, room: 2 }])
  const [first, second] = [begin(IOS), begin(IOS)]
  assert.deepEqual(slots.rooms(), [{ ...IOS, room: 0 }])
  await first.end()
  assert.deepEqual(
    [slots.rooms(), seen.rooms],
    [[{ ...IOS, room: 0 }], 0],
    'one free slot is not worth a claim',
  )
  await second.end()
  assert.deepEqual([slots.rooms(), seen.rooms], [[{ ...IOS, room: 2 }], 1])
  await chunks[0]?.end()
  assert.equal(seen.rooms, 1)
})

test('a channel that is left alone is remembered without a chunk', async () => {
  const { slots, begin } = openSlots()
  const chunk = begin(IOS)
  let isCool = false
  ;(await chunk.use).rest(() => !isCool)
  await chunk.end()
  assert.deepEqual(slots.rooms(), [{ ...IOS, room: 0 }])
  isCool = true
  assert.deepEqual(slots.rooms(), [])
})

test('throttled chunks take no slot from the others, up to a hundred', async () => {
  const { slots, seen, begin } = openSlots()
  for (let open = 0; open < 99; open += 1) (await begin(IOS).use).sendPaced(provenWay())
  assert.equal(seen.left, 99)
  assert.deepEqual(slots.rooms(), [{ ...IOS, room: 2 }])
  ;(await begin(IOS).use).sendPaced(provenWay())
  assert.deepEqual(slots.rooms(), [{ ...IOS, room: 0 }])
})
