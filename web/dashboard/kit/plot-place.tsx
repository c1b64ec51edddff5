import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useEffectEvent, useRef } from 'react'
import type UPlot from 'uplot'
import styles from './plot.module.css'
import { attachPlot, loadPlotLibrary, PLOT_HEIGHT_PX, type PlotEvents } from './plot-canvas.ts'

/** The plot that is to be drawn. */
export type PlotPlan = { readonly options: UPlot.Options; readonly data: UPlot.AlignedData }

type PlanOrder = Pick<PlotEvents, 'point'> & {
  readonly Library: typeof UPlot
  readonly parent: HTMLElement
}

type PlotPlaceProps = {
  readonly label: string
  /** All that the plan depends on, besides the theme. */
  readonly content: unknown
  readonly plan: (order: PlanOrder) => PlotPlan
  readonly onPoint: (at: number | null) => void
  readonly onPick: ((at: number) => void) | undefined
}

/** The place of a plot, which is drawn anew when its content or the theme changes, and not at every look of the page. */
export function PlotPlace({ label, content, plan, onPoint, onPick }: PlotPlaceProps) {
  const place = useRef<HTMLDivElement>(null)
  const scheme = useComputedColorScheme('light')
  const point = useEffectEvent(onPoint)
  const pick = useEffectEvent((at: number) => onPick?.(at))
  const planNow = useEffectEvent(plan)
  const shown = JSON.stringify(content)
  useEffect(() => {
    const parent = place.current
    if (parent === null) return undefined
    const stop = new AbortController()
    void draw(parent, planNow, { point, pick, signal: stop.signal })
    return () => stop.abort()
  }, [shown, scheme])
  return (
    <div
      ref={place}
      className={styles.canvas}
      role="img"
      aria-label={label}
      style={{ minHeight: PLOT_HEIGHT_PX }}
    />
  )
}

async function draw(parent: HTMLElement, plan: PlotPlaceProps['plan'], events: PlotEvents): Promise<void> {
  const Library = await loadPlotLibrary()
  if (events.signal.aborted) return
  const { options, data } = plan({ Library, parent, point: events.point })
  parent.replaceChildren()
  attachPlot(new Library(options, data, parent), parent, events)
}
