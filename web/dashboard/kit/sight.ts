import { useVirtualizer, useWindowVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { nextBase, WINDOW_ROWS } from './row-window.ts'
import type { RowList } from './rows.ts'

const ROW_PX = 38
const OVERSCAN_ROWS = 12

type SightList = Pick<RowList<unknown>, 'count' | 'look'>

/** The rows to draw, and the height of those above and below them that are not drawn. */
export type Sight = {
  readonly rows: readonly { readonly index: number; readonly top: number }[]
  readonly above: number
  readonly below: number
  readonly height: number
  /** The row at which the drawn window of a very long list begins. */
  readonly base: number
  /** Told each drawn row, whose `data-index` counts from `base`. */
  readonly measure: (row: Element | null) => void
}

/** The rows in sight of a list that scrolls with the page. */
export function usePageSight(place: RefObject<Element | null>, list: SightList): Sight {
  const [top, setTop] = useState(0)
  const view = useRowWindow(list)
  const virtual = useWindowVirtualizer({ ...view.options, scrollMargin: top })
  // The parts above may grow, so the place is looked at with every drawing.
  useLayoutEffect(() => {
    const element = place.current
    if (element !== null) setTop(Math.round(element.getBoundingClientRect().top + scrollY))
  })
  return useSight(virtual, view, list)
}

/** The rows in sight of a list that scrolls in a box of its own. */
export function useBoxSight(box: RefObject<Element | null>, list: SightList): Sight {
  const view = useRowWindow(list)
  const virtual = useVirtualizer<Element, Element>({ ...view.options, getScrollElement: () => box.current })
  return useSight(virtual, view, list)
}

function useRowWindow({ count = 0 }: SightList) {
  const [wanted, setBase] = useState(0)
  const base = wanted < count ? wanted : 0
  const keyOf = useCallback((index: number) => index + base, [base])
  const rows = Math.min(count - base, WINDOW_ROWS)
  const options = {
    count: rows,
    getItemKey: keyOf,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN_ROWS,
  }
  return { base, setBase, options }
}

type HeldRow = { readonly row: number; readonly start: number }

/** Tells the list which rows are in sight, and moves the window of a very long one without moving what the reader sees. */
function useSight<Scroller extends Element | Window>(
  virtual: Virtualizer<Scroller, Element>,
  { base, setBase }: ReturnType<typeof useRowWindow>,
  { count = 0, look }: SightList,
): Sight {
  const items = virtual.getVirtualItems()
  const first = base + (items[0]?.index ?? 0)
  const last = base + (items.at(-1)?.index ?? 0)
  // The row that must stay in its place while the window moves.
  const held = useRef<HeldRow | null>(null)
  const [settledBase, setSettledBase] = useState(base)
  const offset = virtual.scrollOffset ?? 0
  const next = nextBase({ base, count, first, last, isAtTop: offset <= 0 })
  useEffect(() => {
    // Until the page has scrolled, the items are at the place of before.
    if (settledBase !== base) return
    look(first, last)
    if (next === base) return
    held.current = offset <= 0 ? null : { row: first, start: items[0]?.start ?? 0 }
    setBase(next)
  }, [look, first, last, next, base, settledBase])
  useLayoutEffect(() => {
    const { current } = held
    held.current = null
    const place = current === null ? undefined : virtual.measurementsCache[current.row - base]
    if (current !== null && place !== undefined) {
      const px = place.start - current.start
      virtual.scrollElement?.scrollBy(0, px)
      // The event of this scroll comes too late for the drawing that follows.
      virtual.scrollOffset = offset + px
    }
    setSettledBase(base)
  }, [base])
  const { scrollMargin } = virtual.options
  const height = virtual.getTotalSize()
  return {
    rows: items.map(({ index, start }) => ({ index: index + base, top: start - scrollMargin })),
    above: (items[0]?.start ?? 0) - scrollMargin,
    below: height + scrollMargin - (items.at(-1)?.end ?? scrollMargin),
    height,
    base,
    measure: virtual.measureElement,
  }
}
