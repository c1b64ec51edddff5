import type { TailPosition } from '../../domain/events/tail-position.ts'
import type { LiveSubject } from '../../domain/live/subject.ts'
import { isOpenTo } from '../../domain/team/scopes.ts'
import { unreachable } from '../../domain/unreachable.ts'
import { LIVE_LIMITS, LIVE_LOOKS, LIVE_SUBJECTS } from '../../rules/live.ts'
import { systemSleep } from '../../runtime/clock.ts'
import { TtlCache } from '../../runtime/limits/cache.ts'
import { Limiter } from '../../runtime/limits/limiter.ts'
import type { Log } from '../../runtime/log.ts'
import { MEASURES } from '../../runtime/measures.ts'
import type { Meter, Metrics } from '../../runtime/metrics.ts'
import { hasCampaign } from '../../store/campaigns/campaigns.ts'
import type { Database } from '../../store/db.ts'
import { loadJourneyState, loadNotificationProgress } from '../../store/live/progress.ts'
import type { Caller, TenantRequest } from '../request.ts'
import { Feed } from './feed.ts'
import {
  type LookAt,
  lookAtCampaign,
  lookAtJourney,
  lookAtNotification,
  lookAtOverview,
  lookAtVirtualDevices,
  type SourceDeps,
} from './sources.ts'
import { LiveStream } from './stream.ts'
import { type RunLook, TailSource } from './tail.ts'

export type LiveDeps = SourceDeps & {
  readonly database: Database
  readonly metrics: Metrics
  readonly log: Log
  /** Between 0 and 1, to spread what would otherwise happen at once. */
  readonly random: () => number
  /** In place of some of LIVE_LIMITS, for tests. */
  readonly bounds?: Partial<LiveBounds>
}

/** How many streams and subjects a process has, in all and of one brand. */
export type LiveBounds = Readonly<
  Record<'streamsMax' | 'brandStreamsMax' | 'feedsMax' | 'brandFeedsMax', number>
>

/** Why a stream is not opened: this process, or the brand, has as many streams or subjects as it may. */
export type LiveRefusal = 'stopping' | 'busy' | 'streams' | 'subjects'

export type OpenStream = {
  readonly stream: LiveStream
  /** The tail, if it is one of the subjects, and its feed. */
  readonly tail: OpenTail | null
  readonly leave: () => void
}

export type OpenTail = {
  readonly source: TailSource
  readonly feed: Feed
  /** The position from which steps come to the stream; null when the feed has just begun. */
  readonly joinedAt: TailPosition | null
}

/**
 * The live streams of one process. Streams with the same subject share one feed, and streams of one key or session one
 * check of it. Nothing runs while there is no stream.
 */
export class LiveHub {
  readonly bounds: LiveBounds
  readonly #deps: LiveDeps
  readonly #feeds = new Map<string, OpenFeed>()
  readonly #streams = new Map<LiveStream, WatchedStream>()
  readonly #permits: Limiter
  readonly #looks = new Limiter(LIVE_LOOKS)
  readonly #known = new TtlCache<boolean>({ ttlMs: LIVE_LIMITS.everyMs })
  readonly #meters: LiveMeters
  #ticker: NodeJS.Timeout | null = null
  #isStopping = false

  constructor(deps: LiveDeps) {
    this.#deps = deps
    this.bounds = { ...LIVE_LIMITS, ...deps.bounds }
    const { streamsMax: capacity, brandStreamsMax: keyCapacity } = this.bounds
    this.#permits = new Limiter({ capacity, keyCapacity })
    this.#meters = liveMeters(deps.metrics)
  }

  /** Why a stream with these subjects cannot be opened now; null when it can. */
  refusalFor(brandId: number, subjects: readonly LiveSubject[]): LiveRefusal | null {
    if (this.#isStopping) return 'stopping'
    const permit = this.#permits.tryTake({ key: String(brandId) })
    if (permit === null) return this.#permits.isFull ? 'busy' : 'streams'
    permit.release()
    const own = [...this.#feeds.values()].filter((feed) => feed.brandId === brandId)
    const added = subjects.filter(({ name }) => !own.some((feed) => feed.subject === name)).length
    if (added === 0) return null
    if (this.#feeds.size + added > this.bounds.feedsMax) return 'busy'
    return own.length + added > this.bounds.brandFeedsMax ? 'subjects' : null
  }

  /** Whether the brand has the subject. Streams that open together share the question. */
  async has(brandId: number, subject: LiveSubject): Promise<boolean> {
    if (LIVE_SUBJECTS[subject.kind].id === null) return true
    return this.#known.get(`${brandId} ${subject.name}`, async () =>
      this.#runFor(brandId)(async (tx) => {
        switch (subject.kind) {
          case 'notification':
            return (await loadNotificationProgress(tx, { brandId, id: subject.id })) !== null
          case 'campaign':
            return hasCampaign(tx, { brandId, campaignId: subject.id })
          case 'journey':
            return (await loadJourneyState(tx, { brandId, journeyId: subject.id })) !== null
          case 'overview':
          case 'virtual_devices':
          case 'events':
            return true
          default:
            return unreachable(subject)
        }
      }),
    )
  }

  /** Opens a stream and joins its feeds; null when there is no room. The caller leaves, however the stream ends. */
  open(request: TenantRequest, subjects: readonly LiveSubject[], cut: () => void): OpenStream | null {
    const { caller, recheck } = request
    if (this.refusalFor(caller.brandId, subjects) !== null) return null
    const permit = this.#permits.tryTake({ key: String(caller.brandId) })
    if (permit === null) return null
    const stream = new LiveStream({ scopes: caller.scopes, cut, retryMs: this.retryMs() })
    this.#streams.set(stream, { recheck, subjects, isChecking: false })
    const feeds = subjects.map((subject) => this.#join(caller, subject, stream))
    this.#tick()
    const leave = (): void => {
      stream.end()
      for (const feed of feeds) this.#leave(feed, stream)
      this.#streams.delete(stream)
      permit.release()
      this.#tick()
    }
    return { stream, leave, tail: feeds.map(tailOf).find((tail) => tail !== null) ?? null }
  }

  /** A random time, so that a thousand readers do not come back at once. */
  retryMs(): number {
    return LIVE_LIMITS.retryMs + this.#deps.random() * LIVE_LIMITS.retrySpreadMs
  }

  /** Checks the access of every stream now. */
  checkAccess(): void {
    for (const [stream, watched] of this.#streams) void this.#check(stream, watched)
  }

  /** Tells all readers to come back, and opens no stream any more. */
  stop(): void {
    this.#isStopping = true
    for (const stream of this.#streams.keys()) stream.close('stopping')
  }

  #join(caller: Caller, subject: LiveSubject, stream: LiveStream): OpenFeed {
    const { brandId } = caller
    // The day of the overview is that of the brand's zone, which may change while a stream is open.
    const key = `${brandId} ${subject.name}${subject.kind === 'overview' ? ` ${caller.timeZone}` : ''}`
    const open = this.#feeds.get(key) ?? this.#openFeed(key, caller, subject)
    this.#feeds.set(key, open)
    open.feed.join(stream)
    return open
  }

  #openFeed(key: string, { brandId, timeZone }: Caller, subject: LiveSubject): OpenFeed {
    const run = this.#runFor(brandId)
    const source = subject.kind === 'events' ? new TailSource(brandId, run) : null
    const look = source?.look ?? this.#lookAt(subject, { brandId, timeZone, run })
    const feed = new Feed({
      look,
      sleep: systemSleep,
      pausePerLook: LIVE_LIMITS.pausePerLook,
      failurePauseMs: LIVE_LIMITS.everyMs,
      onFailure: (cause) => this.#deps.log.warn('a look at a live subject failed', { brandId, cause }),
    })
    return { key, brandId, subject: subject.name, feed, source }
  }

  #lookAt(subject: LiveSubject, options: Parameters<typeof lookAtOverview>[1]): LookAt {
    switch (subject.kind) {
      case 'notification':
        return lookAtNotification(this.#deps, options, subject)
      case 'campaign':
        return lookAtCampaign(this.#deps, options, subject)
      case 'journey':
        return lookAtJourney(this.#deps, options, subject)
      case 'virtual_devices':
        return lookAtVirtualDevices(this.#deps, options, subject)
      case 'overview':
      case 'events':
        return lookAtOverview(this.#deps, options)
      default:
        return unreachable(subject)
    }
  }

  #leave({ key, feed }: OpenFeed, stream: LiveStream): void {
    feed.leave(stream)
    if (feed.readers === 0 && this.#feeds.get(key)?.feed === feed) this.#feeds.delete(key)
  }

  #runFor(brandId: number): RunLook {
    return async (work) =>
      this.#looks.run({ key: String(brandId) }, async () => {
        this.#meters.looks({}, 1)
        return this.#deps.database.asBrand(brandId, work)
      })
  }

  /** One timer for all streams, and none without a stream. */
  #tick(): void {
    this.#meters.streams({}, this.#streams.size)
    if (this.#streams.size === 0) {
      if (this.#ticker !== null) clearInterval(this.#ticker)
      this.#ticker = null
      return
    }
    this.#ticker ??= setInterval(() => {
      for (const stream of this.#streams.keys()) stream.beat()
      this.checkAccess()
    }, LIVE_LIMITS.checkMs)
  }

  async #check(stream: LiveStream, watched: WatchedStream): Promise<void> {
    if (watched.isChecking) return
    watched.isChecking = true
    try {
      const caller = await watched.recheck()
      if (!caller.ok) return stream.close('unauthenticated')
      const { scopes } = caller.value
      const isAllowed = watched.subjects.every(({ kind }) => isOpenTo(scopes, LIVE_SUBJECTS[kind].scopes))
      if (!isAllowed) return stream.close('scope_missing')
      stream.scopes = scopes
    } catch {
      // A database that is away says nothing about the caller, and shows the caller nothing either.
    } finally {
      watched.isChecking = false
    }
  }
}

function tailOf({ feed, source }: OpenFeed): OpenTail | null {
  return source === null ? null : { feed, source, joinedAt: source.place }
}

type OpenFeed = {
  readonly key: string
  readonly brandId: number
  readonly subject: string
  readonly feed: Feed
  readonly source: TailSource | null
}

type WatchedStream = Pick<TenantRequest, 'recheck'> & {
  readonly subjects: readonly LiveSubject[]
  isChecking: boolean
}

type LiveMeters = { readonly streams: Meter<never>; readonly looks: Meter<never> }

function liveMeters(metrics: Metrics): LiveMeters {
  return {
    streams: metrics.gauge(MEASURES.liveStreams),
    looks: metrics.counter(MEASURES.liveLooks),
  }
}
