import type { LoopSlot } from '../runtime/loop/loop.ts'
import type { ChannelRef } from '../store/push/channels.ts'
import type { ChannelRoom } from '../store/push/chunks.ts'
import type { SendWindow } from './send-window.ts'

/** The bounds of one channel in a lane. */
export type ChannelBounds = {
  /** The slots that its chunks may take. */
  readonly slotsMax: number
  /** The chunks that may be open, in slots or away. */
  readonly openMax: number
}

/** One chunk's use of its slot. */
export type SlotUse = {
  /** The messages are about to be sent. When that takes long, the chunk gives its slot to another. */
  readonly send: () => void
  /** The chunk gives its slot to another now. */
  readonly leave: () => void
  /** The window of the channel's only push host is stalled: no more chunks of the channel until it moves. */
  readonly stall: (window: SendWindow) => void
}

/**
 * Counts the chunks that each channel has in the slots of a lane, so that no channel takes all of them.
 *
 * | chunk   | moves on                                                                            |
 * |---------|-------------------------------------------------------------------------------------|
 * | in slot | `leave`; `SLOW_MS` after `send`, or at once if its channel is slow: away            |
 * |         | its work ends: gone                                                                 |
 * | away    | its work ends: gone                                                                 |
 *
 * A channel is slow while it has a chunk away. Never has a channel more than `slotsMax` chunks in slots, nor more than
 * `openMax` altogether, and a channel whose only push host is stalled gets no further chunk.
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
    let isAway = false
    let timer: NodeJS.Timeout | undefined
    const leave = (): void => {
      if (isAway) return
      isAway = true
      load.inSlots -= 1
      load.away += 1
      slot.leave()
    }
    const send = (): void => {
      if (load.away > 0) leave()
      else timer = setTimeout(leave, SLOW_MS)
    }
    const stall = (window: SendWindow): void => {
      load.stalled = window
    }
    try {
      return await work({ send, leave, stall })
    } finally {
      clearTimeout(timer)
      const hadRoom = this.#roomOf(load) > 0
      load.inSlots -= isAway ? 0 : 1
      load.away -= isAway ? 1 : 0
      if (!hadRoom) this.#onRoom()
    }
  }

  #loadOf(ref: ChannelRef): ChannelLoad {
    const name = `${ref.brandId} ${ref.platform}`
    const load = this.#channels.get(name) ?? { ref, inSlots: 0, away: 0, stalled: null }
    this.#channels.set(name, load)
    return load
  }

  #roomOf({ inSlots, away, stalled }: ChannelLoad): number {
    if (isStalled(stalled)) return 0
    const { slotsMax, openMax } = this.#bounds
    return Math.max(0, Math.min(slotsMax - inSlots, openMax - inSlots - away))
  }
}

type ChannelLoad = {
  readonly ref: ChannelRef
  inSlots: number
  away: number
  stalled: SendWindow | null
}

/** A healthy provider answers a small chunk in less time. */
const SLOW_MS = 250

function isIdle({ inSlots, away, stalled }: ChannelLoad): boolean {
  return inSlots === 0 && away === 0 && !isStalled(stalled)
}

function isStalled(window: SendWindow | null): boolean {
  return window !== null && window.waitMs > 0
}
