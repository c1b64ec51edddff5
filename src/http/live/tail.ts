import { isLater, positionText, type TailPosition } from '../../domain/events/tail-position.ts'
import { receivedAt } from '../../domain/events/week.ts'
import type { Scope } from '../../rules/brand.ts'
import { LIVE_LIMITS } from '../../rules/live.ts'
import type { Db } from '../../store/db.ts'
import { findTailPosition, readTail, type TailEvent, type TailStep } from '../../store/events/tail.ts'
import type { FeedLook } from './feed.ts'
import { inPieces } from './stream.ts'
import { eventText, type LiveUpdate, seesWholeEvents, type TailMessage } from './update.ts'
import { renderTailEvent, renderTailShape } from './view.ts'

/** Runs a statement on the rows of the brand, when it is at turn. */
export type RunLook = <Value>(work: (tx: Db) => Promise<Value>) => Promise<Value>

/** The events of one brand as they are committed, from the moment when somebody begins to listen. */
export class TailSource {
  readonly #brandId: number
  readonly #run: RunLook
  readonly #begun = Promise.withResolvers<TailPosition>()
  #place: TailPosition | null = null

  constructor(brandId: number, run: RunLook) {
    this.#brandId = brandId
    this.#run = run
  }

  /** The position of the newest step; null before the first look. */
  get place(): TailPosition | null {
    return this.#place
  }

  /** The first position. */
  get begun(): Promise<TailPosition> {
    return this.#begun.promise
  }

  readonly look = async (): Promise<FeedLook> => {
    const place = this.#place
    const pauseMs = LIVE_LIMITS.everyMs
    if (place === null) {
      this.#place = await this.#run(async (tx) => findTailPosition(tx, this.#brandId))
      this.#begun.resolve(this.#place)
      return { update: null, pauseMs }
    }
    const step = await this.#run(async (tx) =>
      readTail(tx, this.#brandId, { place, upTo: null, limit: LIVE_LIMITS.tailEventsMax }),
    )
    this.#place = step.place
    return { update: step.events.length === 0 ? null : updateOf(step), pauseMs }
  }

  /**
   * The events between the position that a reader brings and the one where it joined. A reader that was away for long, or
   * missed a flood, gets a gap.
   */
  async *catchUp({ from, upTo, scopes, now }: CatchUp): AsyncGenerator<string> {
    if (now - receivedAt(from.eventId) > LIVE_LIMITS.catchUpMs && isLater(upTo, from)) {
      yield* inPieces([gapAt(upTo, null)])
      return
    }
    let place = from
    for (let looks = 0; isLater(upTo, place); looks += 1) {
      if (looks === LIVE_LIMITS.catchUpLooksMax) {
        yield* inPieces([gapAt(upTo, null)])
        return
      }
      const look = { place, upTo, limit: LIVE_LIMITS.tailEventsMax }
      const step = await this.#run(async (tx) => readTail(tx, this.#brandId, look))
      if (step.place === place) return
      yield* inPieces(messagesOf(step, renderFor(scopes)))
      place = step.place
    }
  }
}

type CatchUp = {
  readonly from: TailPosition
  readonly upTo: TailPosition
  readonly scopes: readonly Scope[]
  readonly now: number
}

/** Tells that events were left out; null is a number that was not counted. */
export function gapAt(place: TailPosition, skipped: number | null): TailMessage {
  return { place, text: eventText({ event: 'gap', data: { subject: 'events', skipped } }) }
}

/** Tells from where on events are shown. */
export function listeningText(place: TailPosition, isResumed: boolean): string {
  const data = { subject: 'events', is_resumed: isResumed }
  return eventText({ event: 'listening', data, id: positionText(place) })
}

type RenderEvent = (event: TailEvent) => object

function renderFor(scopes: readonly Scope[]): RenderEvent {
  return seesWholeEvents(scopes) ? renderTailEvent : renderTailShape
}

/** Rendered once for all readers with the same view. */
function updateOf(step: TailStep): LiveUpdate {
  const views = new Map<RenderEvent, readonly TailMessage[]>()
  const messagesFor = (scopes: readonly Scope[]): readonly TailMessage[] => {
    const render = renderFor(scopes)
    const messages = views.get(render) ?? messagesOf(step, render)
    views.set(render, messages)
    return messages
  }
  const whole = messagesOf(step, renderTailEvent)
  views.set(renderTailEvent, whole)
  return { kind: 'step', bytes: whole.reduce((sum, { text }) => sum + text.length, 0), messagesFor }
}

function messagesOf({ events, place, skipped }: TailStep, render: RenderEvent): readonly TailMessage[] {
  const shown = events.map((event) => ({
    place: { tx: event.tx, eventId: event.id },
    text: eventText({ event: 'event', data: { subject: 'events', event: render(event) } }),
  }))
  return skipped === 0 ? shown : [...shown, gapAt(place, skipped)]
}
