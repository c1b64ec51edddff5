import { ActionIcon, Tooltip } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import IconArrowBackUp from '@tabler/icons-react/dist/esm/icons/IconArrowBackUp.mjs'
import IconMaximize from '@tabler/icons-react/dist/esm/icons/IconMaximize.mjs'
import IconMinus from '@tabler/icons-react/dist/esm/icons/IconMinus.mjs'
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs'
import { type Connection, ReactFlow, ReactFlowProvider, useReactFlow } from '@xyflow/react'
import { useEffect } from 'react'
import { JOURNEY_END } from '../../../src/rules/journeys.ts'
import { Icon } from '../kit/icon.tsx'
import { KIT_TEXTS } from '../kit/kit-texts.ts'
import { useTexts } from '../kit/texts.tsx'
import styles from './canvas.module.css'
import { CanvasContext, type CanvasTools } from './canvas-context.ts'
import { CanvasEdge } from './canvas-edge.tsx'
import { CanvasNode } from './canvas-node.tsx'
import { type Drawing, useDrawing } from './drawing.ts'
import { connect } from './edits.ts'
import { END_NODE, stepOfNode } from './graph.ts'
import type { Lit } from './lit.ts'
import { JOURNEY_TEXTS } from './texts.ts'
import type { Editor } from './use-editor.ts'

const NODE_TYPES = { place: CanvasNode }
const EDGE_TYPES = { way: CanvasEdge }

type CanvasProps = {
  readonly editor: Editor
  readonly tools: CanvasTools
  readonly chosen: string | null
  readonly inside: ReadonlyMap<string, number>
  readonly lit: Lit | null
}

/** The journey as a drawing, laid out by itself. A way is led elsewhere by pulling it from its dot to another step. */
export function Canvas(props: CanvasProps) {
  const texts = useTexts(JOURNEY_TEXTS)
  const { editor, tools } = props
  return (
    <section className={styles.canvas} aria-label={texts.canvas}>
      <CanvasContext value={tools}>
        <ReactFlowProvider>
          <Flow {...props} drawing={useDrawing(props)} />
          <Tools undo={editor.undo} />
        </ReactFlowProvider>
      </CanvasContext>
      <svg className={styles.markers} aria-hidden>
        <defs>
          <marker
            id="journey-arrow"
            viewBox="0 0 10 10"
            refX="8"
            refY="5"
            markerUnits="userSpaceOnUse"
            markerWidth="13"
            markerHeight="13"
            orient="auto"
          >
            <path d="M 3 1.5 L 8 5 L 3 8.5" />
          </marker>
        </defs>
      </svg>
    </section>
  )
}

function Flow({ editor, drawing }: CanvasProps & { readonly drawing: Drawing }) {
  const { draft, change, mayEdit } = editor
  const { ref: box, width: roomWidth, height: roomHeight } = useElementSize()
  const { setViewport } = useReactFlow()
  const { width, height } = drawing
  // The size changes with the number of steps, or of the window, and then everything is shown again.
  useEffect(() => {
    if (roomWidth > 0) void setViewport(viewOf(roomWidth, roomHeight, { width, height }))
  }, [width, height, roomWidth, roomHeight, setViewport])
  const lead = ({ source, sourceHandle, target }: Connection): void => {
    const to = target === END_NODE ? JOURNEY_END : stepOfNode(target)
    if (to !== null) change(connect(draft, { from: stepOfNode(source), place: sourceHandle ?? 'next' }, to))
  }
  return (
    <div ref={box} style={{ width: '100%', height: '100%' }} data-canvas="">
      <ReactFlow
        nodes={[...drawing.nodes]}
        edges={[...drawing.edges]}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onConnect={lead}
        nodesConnectable={mayEdit}
        nodesDraggable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        deleteKeyCode={null}
        zoomOnScroll={false}
        zoomOnDoubleClick={false}
        preventScrolling={false}
        minZoom={0.3}
        maxZoom={1.5}
        connectionRadius={40}
        proOptions={{ hideAttribution: true }}
      />
    </div>
  )
}

const MARGIN_PX = 28
const ZOOM_MIN = 0.5

/** All of it in the middle; from the top on where it is too tall to be read as a whole. */
function viewOf(roomWidth: number, roomHeight: number, { width, height }: Pick<Drawing, 'width' | 'height'>) {
  const wanted = Math.min((roomWidth - 2 * MARGIN_PX) / width, (roomHeight - 2 * MARGIN_PX) / height, 1)
  const zoom = Math.max(wanted, ZOOM_MIN)
  return { x: (roomWidth - width * zoom) / 2, y: MARGIN_PX, zoom }
}

function Tools({ undo }: Pick<Editor, 'undo'>) {
  const texts = useTexts(JOURNEY_TEXTS)
  const kit = useTexts(KIT_TEXTS)
  const { zoomIn, zoomOut, fitView } = useReactFlow()
  const rows = [
    { label: texts.zoomOut, icon: IconMinus, act: async () => zoomOut() },
    { label: texts.zoomIn, icon: IconPlus, act: async () => zoomIn() },
    { label: texts.fit, icon: IconMaximize, act: async () => fitView({ padding: 0.1, maxZoom: 1 }) },
  ]
  return (
    <div className={styles.tools}>
      {undo !== null && (
        <Tooltip label={kit.undo}>
          <ActionIcon aria-label={kit.undo} onClick={undo}>
            <Icon of={IconArrowBackUp} />
          </ActionIcon>
        </Tooltip>
      )}
      {rows.map(({ label, icon, act }) => (
        <Tooltip key={label} label={label}>
          <ActionIcon aria-label={label} onClick={() => void act()}>
            <Icon of={icon} />
          </ActionIcon>
        </Tooltip>
      ))}
    </div>
  )
}
