import { BoundedCache } from '../runtime/limits/cache.ts'
import { SendWindow } from './send-window.ts'
import { Unsettled } from './unsettled.ts'

/**
 * The send windows of one lane: one for each credential at each push host. So a push host that does not answer stops
 * the messages of one channel to itself, and no others.
 */
export class SendWindows {
  readonly #bounds: WindowBounds
  readonly #channels = new BoundedCache<string, ChannelWindows>({ capacity: CREDENTIALS_MAX })

  constructor(bounds: WindowBounds) {
    this.#bounds = bounds
  }

  of(credential: string): ChannelWindows {
    const known = this.#channels.get(credential)
    if (known !== undefined) return known
    const windows = new ChannelWindows(this.#bounds)
    this.#channels.set(credential, windows)
    return windows
  }
}

export type WindowBounds = {
  /** The messages of one channel in flight to one push host. */
  readonly windowMax: number
  /** The messages of one channel, to all hosts, that are sent and not settled. */
  readonly unsettledMax: number
}

/** The send windows of one channel, by push host. */
export class ChannelWindows {
  readonly unsettled: Unsettled
  readonly #max: number
  readonly #hosts = new Map<string, SendWindow>()

  constructor({ windowMax, unsettledMax }: WindowBounds) {
    this.unsettled = new Unsettled(unsettledMax)
    this.#max = windowMax
  }

  /** Null while messages to too many push hosts are in flight: a brand's browsers may name any number of hosts. */
  of(host: string): SendWindow | null {
    const known = this.#hosts.get(host)
    if (known !== undefined) return known
    if (this.#hosts.size >= HOSTS_MAX) this.#forgetEmpty()
    if (this.#hosts.size >= HOSTS_MAX) return null
    const window = new SendWindow(this.#max)
    this.#hosts.set(host, window)
    return window
  }

  /** Whether messages of the channel are in flight to a push host that does not answer. */
  get isAnySilent(): boolean {
    return this.#hosts.values().some(({ isSilent }) => isSilent)
  }

  #forgetEmpty(): void {
    for (const [host, window] of this.#hosts) if (window.inside === 0) this.#hosts.delete(host)
  }
}

const CREDENTIALS_MAX = 10_000
/** The push services of all browsers together have some thirty hosts. */
const HOSTS_MAX = 100
