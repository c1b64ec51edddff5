import IconFlag from '@tabler/icons-react/dist/esm/icons/IconFlag.mjs'
import IconLogin2 from '@tabler/icons-react/dist/esm/icons/IconLogin2.mjs'
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import { use } from 'react'
import type { JourneyStepKind } from '../../../src/rules/journey-steps.ts'
import { Link } from '../kit/address.tsx'
import { Icon } from '../kit/icon.tsx'
import { useFormat } from '../kit/number.tsx'
import { useTexts } from '../kit/texts.tsx'
import styles from './canvas.module.css'
import { CanvasContext } from './canvas-context.ts'
import { END_NODE } from './graph.ts'
import { KIND_ICONS } from './kind-icons.ts'
import { JOURNEY_TEXTS } from './texts.ts'

export type PlaceData = {
  /** Null for the entry and the end. */
  readonly kind: JourneyStepKind | null
  readonly step: string | null
  readonly title: string
  readonly text: string
  readonly inside: number
  readonly faults: number
  readonly isChosen: boolean
  /** Whether a person's way is shown, and passes here. */
  readonly light: 'none' | 'lit' | 'dim'
  readonly places: readonly string[]
}

export type PlaceNode = Node<PlaceData, 'place'>

/** A step on the canvas, with a way in above and its ways out below. */
export function CanvasNode({ id, data }: NodeProps<PlaceNode>) {
  const texts = useTexts(JOURNEY_TEXTS)
  const tools = use(CanvasContext)
  const { kind, title, text, faults, isChosen, light, places } = data
  const isEnd = id === END_NODE
  const plain = isEnd ? IconFlag : IconLogin2
  const isFree = tools?.mayEdit === true
  return (
    <div
      data-light={light}
      className={`${styles.node} ${isChosen ? styles.chosen : ''} ${styles[light]} ${isEnd ? styles.end : ''}`}
    >
      {id !== 'trigger' && <Handle type="target" position={Position.Top} isConnectable={isFree} />}
      <button
        type="button"
        className={styles.open}
        aria-pressed={isChosen}
        disabled={isEnd}
        onClick={() => tools?.onChoose(id)}
      >
        <span className={styles.head}>
          <Icon of={kind === null ? plain : KIND_ICONS[kind]} size={15} />
          <b>{kind === null ? title : texts.kinds[kind]}</b>
          {kind !== null && <span className={styles.name}>{title}</span>}
        </span>
        <span className={styles.text}>{text}</span>
      </button>
      {faults > 0 && <span className={styles.faulty}>{texts.faults(faults)}</span>}
      <Inside data={data} />
      {places.map((place, index) => (
        <Handle
          key={place}
          id={place}
          type="source"
          position={Position.Bottom}
          isConnectable={isFree}
          style={{ left: `${((index + 1) / (places.length + 1)) * 100}%` }}
        />
      ))}
    </div>
  )
}

/** How many people stand here now. The number leads to them. */
function Inside({ data: { step, inside } }: { readonly data: PlaceData }) {
  const texts = useTexts(JOURNEY_TEXTS)
  const format = useFormat()
  const tools = use(CanvasContext)
  if (step === null || inside === 0 || tools?.peopleAt === null || tools === null) return null
  const count = format.count(inside)
  return (
    <Link className={styles.inside} to={tools.peopleAt(step)} aria-label={texts.insideLabel(count, step)}>
      <span className={`${styles.pill} num`}>{texts.inside(count)}</span>
    </Link>
  )
}
