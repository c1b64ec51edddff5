import { useQueries } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { encodeJson } from '../../client/json.ts'
import { type AnyInput, call, type Endpoint, type Input, type ReplyOf } from './call.ts'
import { readKey } from './queries.ts'

/** A list of any length, of which only the pages in sight are held. */
export type RowList<Row, Reply = unknown> = {
  /** The rows that are known so far; undefined until the first page came. */
  readonly count: number | undefined
  /** Undefined for a row that is on its way. */
  readonly rowAt: (index: number) => Row | undefined
  readonly hasMore: boolean
  readonly error: Error | null
  /** The reply with the first rows, while they are in sight. */
  readonly first: Reply | undefined
  /** When the oldest of the rows in sight were read, in milliseconds; 0 until they came. */
  readonly readAt: number
  /** Told which rows are in sight, from the first to the last. */
  readonly look: (from: number, to: number) => void
  readonly retry: () => void
}

/** Where a page begins. `rows` is null until the page came once. */
type PagePlace = { readonly cursor: string; readonly start: number; readonly rows: number | null }

type Chain = { readonly key: string; readonly places: readonly PagePlace[] }

/** How long a page out of sight is kept, for a reader who scrolls back at once. */
const KEPT_MS = 30_000
/** The next page is read when its first row is this near. */
const NEAR_ROWS = 30

type Paged = { readonly next_cursor: string | null }

type RowsOptions<Name extends Endpoint, Row> = {
  readonly rowsOf: (reply: ReplyOf<Name>) => readonly Row[]
  readonly isEnabled?: boolean
  readonly everyMs?: number
}

/**
 * The rows of a list. The cursors of all pages so far are kept, and the pages in sight; scrolling back, or reading anew,
 * asks for those alone. A page that ends elsewhere than before makes the cursors behind it void.
 */
export function useRows<Name extends Endpoint, Row>(
  endpoint: Name,
  input: Input<Name> & AnyInput,
  { rowsOf, isEnabled = true, everyMs }: RowsOptions<Name, Row>,
): RowList<Row, ReplyOf<Name>> {
  const asked = readKey(endpoint, input)
  const key = encodeJson(asked)
  const [stored, setStored] = useState<Chain>(() => freshChain(key))
  const chain = stored.key === key ? stored : freshChain(key)
  const { from, to, look } = useRowsInSight(key)
  const wanted = chain.places.filter(
    ({ start, rows }) => start <= to + NEAR_ROWS && (rows === null || start + rows >= from),
  )
  const replies = useQueries({
    queries: wanted.map(({ cursor }) => ({
      queryKey: [...asked, 'rows', cursor],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<ReplyOf<Name> & Paged> => {
        const place = cursor === '' ? {} : { cursor }
        const page = { ...input, query: { ...input.query, ...place } }
        return Object(await call(endpoint, page, { signal, isRead: true }))
      },
      enabled: isEnabled,
      gcTime: KEPT_MS,
      ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
    })),
  })
  const pages = wanted.map((place, at) => ({ ...place, reply: replies[at]?.data }))
  const next = pages.reduce<Chain>(
    (before, { cursor, reply }) => (reply === undefined ? before : chained(before, cursor, reply, rowsOf)),
    chain,
  )
  useEffect(() => {
    if (next !== stored) setStored(next)
  }, [next, stored])
  const last = next.places.at(-1)
  const isKnown = next.places[0]?.rows !== null
  return useFormer({
    count: isKnown && last !== undefined ? last.start + (last.rows ?? 0) : undefined,
    hasMore: last?.rows === null,
    rowAt: (index) => {
      const page = pages.findLast(({ start }) => start <= index)
      return page?.reply === undefined ? undefined : rowsOf(page.reply)[index - page.start]
    },
    error: replies.find(({ error }) => error !== null)?.error ?? null,
    first: pages[0]?.start === 0 ? pages[0].reply : undefined,
    readAt: Math.min(...replies.map(({ dataUpdatedAt }) => dataUpdatedAt)),
    look,
    retry: () => {
      for (const reply of replies) if (reply.error !== null) void reply.refetch()
    },
  })
}

/** The rows that the reader of this question looks at; the first ones until told. */
function useRowsInSight(key: string) {
  const [sight, setSight] = useState({ key, from: 0, to: 0 })
  const look = useCallback(
    (first: number, last: number) => {
      setSight((before) =>
        before.key === key && before.from === first && before.to === last
          ? before
          : { key, from: first, to: last },
      )
    },
    [key],
  )
  const { from, to } = sight.key === key ? sight : { from: 0, to: 0 }
  return { from, to, look }
}

function freshChain(key: string): Chain {
  return { key, places: [{ cursor: '', start: 0, rows: null }] }
}

/** The chain with the length and the end of a page. The same chain when nothing is new. */
function chained<Reply>(
  chain: Chain,
  cursor: string,
  reply: Reply & Paged,
  rowsOf: (reply: Reply) => readonly unknown[],
): Chain {
  const at = chain.places.findIndex((place) => place.cursor === cursor)
  const place = chain.places[at]
  if (place === undefined) return chain
  const rows = rowsOf(reply).length
  const following = chain.places[at + 1]
  const isSame = place.rows === rows && (following?.cursor ?? null) === reply.next_cursor
  if (isSame) return chain
  const after =
    reply.next_cursor === null ? [] : [{ cursor: reply.next_cursor, start: place.start + rows, rows: null }]
  return { ...chain, places: [...chain.places.slice(0, at), { ...place, rows }, ...after] }
}

/** Shows the former rows while those of a new question are on their way, as a list does while one types. */
function useFormer<Row, Reply>(list: RowList<Row, Reply>): RowList<Row, Reply> {
  const former = useRef(list)
  useEffect(() => {
    if (list.count !== undefined) former.current = list
  })
  if (list.count !== undefined || former.current.count === undefined) return list
  return { ...former.current, error: list.error, retry: list.retry, look: list.look }
}
