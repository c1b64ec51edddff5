import { useEffect, useEffectEvent, useReducer, useRef } from 'react'
import type { Json } from '../../client/json.ts'
import { useLiveEach } from '../kit/live.ts'

/** An event of the tail. A developer gets the names of attributes only, and nobody's name. */
export type TailRow = {
  readonly id: string
  readonly event_name: string
  readonly event_time: string
  readonly received_at: string
  readonly userID?: string | null
  readonly attributes?: Readonly<Record<string, Json>>
  readonly attribute_names?: readonly string[]
  /** Values that do not fit the type of their attribute; in a list that asks for them. */
  readonly mistyped?: Readonly<Record<string, Json>> | null
  /** Came while one looked. */
  readonly isFresh?: boolean
}

export type TailFilter = { readonly name: string; readonly person: string }

export const TAIL_ROWS_MAX = 200
/** A flood is drawn in steps that one can follow. */
const GATHER_MS = 150

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
  | { readonly kind: 'stored'; readonly rows: readonly TailRow[] }
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
  const unknown = change.rows.filter(({ id }) => !known.has(id))
  if (change.kind === 'stored') return { ...tail, rows: inOrder([...tail.rows, ...unknown]) }
  const fresh = unknown.map((row) => ({ ...row, isFresh: true }))
  const unseen = tail.frozen === null ? 0 : tail.unseen + fresh.length
  return { ...tail, unseen, rows: inOrder([...fresh.toReversed(), ...tail.rows]) }
}

/** The newest first, by the time of receipt. */
function inOrder(rows: readonly TailRow[]): readonly TailRow[] {
  return rows
    .toSorted((one, other) => Date.parse(other.received_at) - Date.parse(one.received_at))
    .slice(0, TAIL_ROWS_MAX)
}

export type TailView = {
  readonly shown: readonly TailRow[]
  readonly unseen: number
  readonly skipped: number | null
  readonly state: Tail['state']
  readonly isPaused: boolean
  readonly pause: (isOn: boolean) => void
}

/** The newest events that fit a filter, live, among those that were stored before. */
export function useTail(filter: TailFilter, stored: readonly TailRow[] | undefined): TailView {
  const [tail, change] = useReducer(changed, START)
  useEffect(() => {
    if (stored !== undefined) change({ kind: 'stored', rows: stored })
  }, [stored])
  const gather = useGathered((rows) =>
    change({ kind: 'rows', rows: rows.filter((row) => fits(row, filter)) }),
  )
  useLiveEach('events', ({ event, data }) => {
    if (event === 'event') gather(Object(data['event']))
    if (event === 'gap') change({ kind: 'gap', skipped: numberOf(data['skipped']) })
    if (event === 'listening') change({ kind: 'state', state: 'live' })
    if (event === 'away') change({ kind: 'state', state: 'away' })
  })
  const { rows, unseen, skipped, state, frozen } = tail
  const pause = (isOn: boolean): void => change({ kind: 'pause', isOn })
  return { shown: frozen ?? rows, unseen, skipped, state, isPaused: frozen !== null, pause }
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

function fits({ event_name: name, userID = null }: TailRow, filter: TailFilter): boolean {
  const isNamed = filter.name === '' || name === filter.name
  return isNamed && (filter.person === '' || userID === filter.person)
}

/** Passes rows on together, a few times a second. */
function useGathered(take: (rows: readonly TailRow[]) => void): (row: TailRow) => void {
  const tell = useEffectEvent(take)
  const gathered = useRef<TailRow[]>([])
  useEffect(() => {
    const timer = setInterval(() => {
      const rows = gathered.current.splice(0).slice(-TAIL_ROWS_MAX)
      if (rows.length > 0) tell(rows)
    }, GATHER_MS)
    return () => clearInterval(timer)
  }, [])
  return (row) => gathered.current.push(row)
}
