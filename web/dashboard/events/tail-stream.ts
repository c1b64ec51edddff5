import { useEffect, useEffectEvent, useReducer } from 'react'
import { type Json, parseJson } from '../../client/json.ts'
import { chosenBrand } from '../kit/brand.ts'

/** An event of the tail. A developer gets the names of attributes only, and nobody's name. */
export type TailRow = {
  readonly id: string
  readonly event_name: string
  readonly event_time: string
  readonly received_at: string
  readonly userID?: string | null
  readonly attributes?: Readonly<Record<string, Json>>
  readonly attribute_names?: readonly string[]
}

export type TailFilter = { readonly name: string; readonly person: string }

export const TAIL_ROWS_MAX = 200
/** A flood is drawn in steps that one can follow. */
const GATHER_MS = 150
const BACK_MS = 5_000

type Tail = {
  readonly rows: readonly TailRow[]
  /** Events that came since the tail was paused. */
  readonly unseen: number
  /** Events that the server left out in a flood; null: a number that it did not count. */
  readonly skipped: number | null
  readonly state: 'opening' | 'live' | 'away'
  /** The rows at the moment of the pause. */
  readonly frozen: readonly TailRow[] | null
}

type Change =
  | { readonly kind: 'rows'; readonly rows: readonly TailRow[] }
  | { readonly kind: 'gap'; readonly skipped: number | null }
  | { readonly kind: 'state'; readonly state: Tail['state'] }
  | { readonly kind: 'pause'; readonly isOn: boolean }

const START: Tail = { rows: [], unseen: 0, skipped: 0, state: 'opening', frozen: null }

function changed(tail: Tail, change: Change): Tail {
  if (change.kind === 'state') return { ...tail, state: change.state }
  if (change.kind === 'pause') return { ...tail, frozen: change.isOn ? tail.rows : null, unseen: 0 }
  if (change.kind === 'gap') {
    const isCounted = change.skipped !== null && tail.skipped !== null
    return { ...tail, skipped: isCounted ? tail.skipped + change.skipped : null }
  }
  const known = new Set(tail.rows.map(({ id }) => id))
  const fresh = change.rows.filter(({ id }) => !known.has(id))
  const rows = [...fresh.toReversed(), ...tail.rows].slice(0, TAIL_ROWS_MAX)
  return { ...tail, rows, unseen: tail.frozen === null ? 0 : tail.unseen + fresh.length }
}

export type TailView = {
  readonly shown: readonly TailRow[]
  readonly unseen: number
  readonly skipped: number | null
  readonly state: Tail['state']
  readonly isPaused: boolean
  readonly pause: (isOn: boolean) => void
}

/** The newest events that fit a filter, live. */
export function useTail(filter: TailFilter): TailView {
  const [tail, change] = useReducer(changed, START)
  const take = useEffectEvent((rows: readonly TailRow[]) =>
    change({ kind: 'rows', rows: rows.filter((row) => fits(row, filter)) }),
  )
  useEffect(() => {
    const stream = new TailStream(take, change)
    return () => stream.close()
  }, [])
  const { rows, unseen, skipped, state, frozen } = tail
  const pause = (isOn: boolean): void => change({ kind: 'pause', isOn })
  return { shown: frozen ?? rows, unseen, skipped, state, isPaused: frozen !== null, pause }
}

export function fits({ event_name: name, userID = null }: TailRow, filter: TailFilter): boolean {
  const isNamed = filter.name === '' || name === filter.name
  return isNamed && (filter.person === '' || userID === filter.person)
}

/** The subject `events` of the live stream. The browser comes back by itself, but not after a refusal. */
class TailStream {
  readonly #take: (rows: readonly TailRow[]) => void
  readonly #change: (change: Change) => void
  #source: EventSource | null = null
  #gathered: TailRow[] = []
  #gathering: ReturnType<typeof setTimeout> | undefined
  #back: ReturnType<typeof setTimeout> | undefined
  #lastEventId = ''

  constructor(take: (rows: readonly TailRow[]) => void, change: (change: Change) => void) {
    this.#take = take
    this.#change = change
    this.#open()
  }

  close(): void {
    this.#source?.close()
    clearTimeout(this.#back)
    clearTimeout(this.#gathering)
  }

  #open(): void {
    const place = this.#lastEventId === '' ? {} : { last_event_id: this.#lastEventId }
    const query = new URLSearchParams({ brand: chosenBrand(), subjects: 'events', ...place })
    const source = new EventSource(`/api/v1/live?${query.toString()}`)
    this.#source = source
    source.addEventListener('listening', () => this.#change({ kind: 'state', state: 'live' }))
    source.addEventListener('event', ({ data, lastEventId }) => {
      this.#lastEventId = lastEventId
      this.#gather(Object(parseJson(String(data))).event)
    })
    source.addEventListener('gap', ({ data }) => {
      const { skipped } = Object(parseJson(String(data)))
      this.#change({ kind: 'gap', skipped: typeof skipped === 'number' ? skipped : null })
    })
    source.addEventListener('error', () => {
      this.#change({ kind: 'state', state: 'away' })
      if (source.readyState === EventSource.CLOSED) this.#back = setTimeout(() => this.#open(), BACK_MS)
    })
  }

  #gather(row: TailRow): void {
    this.#gathered.push(row)
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined
      const rows = this.#gathered.slice(-TAIL_ROWS_MAX)
      this.#gathered = []
      this.#take(rows)
    }, GATHER_MS)
  }
}
