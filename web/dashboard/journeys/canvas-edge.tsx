import { BaseEdge, type Edge, EdgeLabelRenderer, type EdgeProps } from '@xyflow/react'
import { use } from 'react'
import { useTexts } from '../kit/texts.tsx'
import { AddMenu } from './add-menu.tsx'
import styles from './canvas.module.css'
import { CanvasContext } from './canvas-context.ts'
import type { WayFrom } from './draft.ts'
import type { Point } from './layout.ts'
import { routeOf } from './route.ts'
import { JOURNEY_TEXTS } from './texts.ts'

export type WayData = {
  readonly via: readonly Point[]
  readonly at: WayFrom
  /** `yes`, `no` or a share. */
  readonly label: string
  readonly light: 'none' | 'lit' | 'dim'
}

export type WayEdge = Edge<WayData, 'way'>

const LABEL_PX = 33

/** A way from one step to the next, with a plus that puts a step into it. */
export function CanvasEdge({ id, sourceX, sourceY, targetX, targetY, data }: EdgeProps<WayEdge>) {
  const texts = useTexts(JOURNEY_TEXTS)
  const tools = use(CanvasContext)
  if (data === undefined || tools === null) return null
  const { via, at, label, light } = data
  const from = { x: sourceX, y: sourceY }
  const to = { x: targetX, y: targetY }
  const isBack = to.y <= from.y
  const said = new Map([
    ['yes', texts.yes],
    ['no', texts.no],
  ])
  const top = sourceY + (isBack ? LABEL_PX / 2 : LABEL_PX)
  return (
    <>
      <BaseEdge
        id={id}
        path={routeOf({ from, to, via })}
        className={`${styles.way} ${styles[`way-${light}`] ?? ''}`}
        markerEnd="url(#journey-arrow)"
      />
      <EdgeLabelRenderer>
        <div
          className={`${styles.label} nodrag nopan`}
          style={{ transform: `translate(-50%, -50%) translate(${sourceX}px, ${top}px)` }}
        >
          {label !== '' && <span className={styles.word}>{said.get(label) ?? label}</span>}
          {tools.mayEdit && (
            <AddMenu
              draft={tools.draft}
              at={at}
              label={texts.addWay(
                [at.from ?? texts.start, said.get(label) ?? label].filter(Boolean).join(', '),
              )}
              onAdd={(draft, step) => {
                tools.change(draft)
                tools.onAdded(step)
              }}
            />
          )}
        </div>
      </EdgeLabelRenderer>
    </>
  )
}
