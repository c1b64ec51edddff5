import type { LoopSlot } from '../runtime/loop/loop.ts'
import type { ChannelRef } from '../store/push/channels.ts'
import type { ChannelRoom } from '../store/push/chunks.ts'
import type { SendWindow } from './send-window.ts'
import type { Unsettled } from './unsettled.ts'

/** The bounds of one channel in a lane. */
export type ChannelBounds = {
  /** The slots that its chunks may take. */
  readonly slotsMax: number
  /** The chunks that may be open, in slots or away. */
  readonly openMax: number
  /** The chunks that may be open while the push host has to prove itself. */
  readonly probeMax: number
}

/** One chunk's use of its slot. */
export type SlotUse = {
  /** The messages are about to be sent. When that takes long, the chunk gives its slot to another. */
  readonly send: (way: SendWay) => void
  /** The same for a throttled chunk, which mostly waits for its pace: it gives its slot to another now. */
  readonly sendPaced: (way: SendWay) => void
  /** The channel's main push host is left alone: the channel gets no chunk while this is so. */
  readonly rest: (isResting: () => boolean) => void
}

/** The way of a channel's messages to their push hosts, as far as it can be full. */
export type SendWay = {
  /** The window of the channel's main push host, if it has one. */
  readonly window: SendWindow | null
  readonly unsettled: Pick<Unsettled, 'isFull'>
}

/**
 * Counts the chunks that each channel has in the slots of a lane, so that no channel takes all of them.
 *
 * | chunk   | moves on                                                                            |
 * |---------|-------------------------------------------------------------------------------------|
 * | in slot | `SLOW_MS` after `send`, or at once if its channel is slow: away; `sendPaced`: paced |
 * |         | its work ends: gone                                                                 |
 * | away, paced | its work ends: gone                                                             |
 *
 * A channel is slow while it has a chunk away. Never has a channel more than `slotsMax` chunks in slots, nor more than
 * `openMax` altogether. A channel whose main push host is stalled or left alone gets no further chunk, and `probeMax` at
 * most while that host has to prove itself: opening a chunk for nothing is work that other channels pay for. For the same
 * reason a channel with as many unsettled messages as it may have gets no further chunk: none of these could send, and
 * all would be opened again when their time is over.
 */
export class ChannelSlots {
  readonly #bounds: ChannelBounds
  readonly #onRoom: () => void
  readonly #channels = new Map<string, ChannelLoad>()

  /** `onRoom` is called when a channel that had no room has some again. */
  constructor(bounds: ChannelBounds, onRoom: () => void) {
    this.#bounds = bounds
    this.#onRoom = onRoom
  }

  /** How many more chunks fit, of each channel that has chunks here. */
  rooms(): readonly ChannelRoom[] {
    for (const [name, load] of this.#channels) if (isIdle(load)) this.#channels.delete(name)
    return [...this.#channels.values()].map((load) => ({ ...load.ref, room: this.#roomOf(load) }))
  }

  /** Works on one chunk of a channel, in a slot of the loop. */
  async run<Outcome>(
    { brandId, platform }: ChannelRef,
    slot: LoopSlot,
    work: (use: SlotUse) => Promise<Outcome>,
  ): Promise<Outcome> {
    const load = this.#loadOf({ brandId, platform })
    load.inSlots += 1
    let place: ChunkPlace = 'inSlots'
    let timer: NodeJS.Timeout | undefined
    const leave = (to: 'away' | 'paced'): void => {
      load[place] -= 1
      load[to] += 1
      place = to
      slot.leave()
    }
    const send = (way: SendWay): void => {
      load.way = way
      if (load.away > 0) leave('away')
      else timer = setTimeout(() => leave('away'), SLOW_MS)
    }
    const sendPaced = (way: SendWay): void => {
      load.way = way
      leave('paced')
    }
    const rest = (isResting: () => boolean): void => {
      load.isResting = isResting
    }
    try {
      return await work({ send, sendPaced, rest })
    } finally {
      clearTimeout(timer)
      const hadRoom = this.#roomOf(load) > 0
      load[place] -= 1
      if (!hadRoom && this.#roomOf(load) > 0) this.#onRoom()
    }
  }

  #loadOf(ref: ChannelRef): ChannelLoad {
    const name = `${ref.brandId} ${ref.platform}`
    const load = this.#channels.get(name) ?? { ...UNUSED, ref }
    this.#channels.set(name, load)
    return load
  }

  #roomOf(load: ChannelLoad): number {
    if (isLeftAlone(load)) return 0
    const { inSlots, away, paced, way } = load
    if (paced >= PACED_MAX || way.unsettled.isFull) return 0
    const { slotsMax, openMax, probeMax } = this.#bounds
    const most = way.window === null || way.window.isProven ? openMax : Math.min(openMax, probeMax)
    const room = Math.min(slotsMax - inSlots, most - inSlots - away)
    return room >= Math.min(slotsMax, most) * ROOM_SHARE ? room : 0
  }
}

type ChunkPlace = 'inSlots' | 'away' | 'paced'

type ChannelLoad = {
  readonly ref: ChannelRef
  inSlots: number
  away: number
  paced: number
  way: SendWay
  isResting: () => boolean
}

const UNUSED = {
  inSlots: 0,
  away: 0,
  paced: 0,
  way: { window: null, unsettled: { isFull: false } },
  isResting: () => false,
}

/** A healthy provider answers a small chunk in less time. */
const SLOW_MS = 250

/**
 * A channel gets chunks when this share of its slots is free: a claim of a hundred chunks costs little more than a
 * claim of one. A channel with less to send never fills so many slots, and waits for nothing.
 */
const ROOM_SHARE = 0.25

/** Throttled chunks of one channel that are open. */
const PACED_MAX = 100

function isIdle(load: ChannelLoad): boolean {
  return load.inSlots + load.away + load.paced === 0 && !isLeftAlone(load)
}

function isLeftAlone({ way: { window }, isResting }: ChannelLoad): boolean {
  return isResting() || (window !== null && window.waitMs > 0)
}
