import { ActionIcon, Button } from '@mantine/core'
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs'
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs'
import { useState } from 'react'
import { SEGMENT_LIMITS } from '../../../../src/rules/segments.ts'
import { Icon } from '../icon.tsx'
import { useTexts } from '../texts.tsx'
import { Condition } from './condition.tsx'
import { Faults, faultsAt } from './faults.tsx'
import type { FilterFault } from './faults-of.ts'
import { Choice } from './fields.tsx'
import styles from './filter.module.css'
import { FILTER_TEXTS } from './filter-texts.ts'
import { type Join, joinOf, newLeaf, partsOf, peel, type Written, wrap } from './written.ts'

type NodeProps = {
  readonly written: Written
  readonly path: string
  readonly depth: number
  readonly faults: readonly FilterFault[]
  readonly onChange: (written: Written) => void
}

/** A group with its parts below it. */
export function FilterNode({ written, path, depth, faults, onChange }: NodeProps) {
  const { nots, core } = peel(written)
  const join = joinOf(core) ?? 'all'
  const own = `${path}${'.not'.repeat(nots)}`
  const parts = partsOf(core)
  const [added, setAdded] = useState<number | null>(null)
  const set = (next: readonly Written[]): void => onChange(wrap({ [join]: next }, nots))
  const add = (part: Written): void => {
    setAdded(parts.length)
    set([...parts, part])
  }
  return (
    <div className={depth > 1 ? styles.group : styles.root}>
      {(parts.length > 1 || depth > 1) && <JoinChoice core={core} nots={nots} onChange={onChange} />}
      {parts.length === 0 && depth === 1 && <Starters onAdd={add} />}
      <ol className={styles.parts}>
        {parts.map((part, at) => (
          <Part
            key={at}
            part={part}
            at={at}
            join={join}
            isNew={added === at}
            path={`${own}.${join}[${at}]`}
            depth={depth}
            faults={faults}
            onChange={(next) => set(parts.with(at, next))}
            onRemove={() => {
              setAdded(null)
              set(parts.toSpliced(at, 1))
            }}
          />
        ))}
      </ol>
      <Faults
        faults={[path, own, `${own}.${join}`].filter(isFirst).flatMap((one) => faultsAt(faults, one, 'own'))}
      />
      {(parts.length > 0 || depth > 1) && <AddButtons depth={depth} onAdd={add} />}
    </div>
  )
}

function isFirst(path: string, at: number, paths: readonly string[]): boolean {
  return paths.indexOf(path) === at
}

/** The first condition, by what it is about. */
function Starters({ onAdd }: { readonly onAdd: (part: Written) => void }) {
  const texts = useTexts(FILTER_TEXTS)
  return (
    <div className={styles.starters}>
      <p className="quiet">{texts.nothing}</p>
      <div className={styles.adds}>
        {STARTERS.map((subject) => (
          <Button
            key={subject}
            size="compact-sm"
            leftSection={<Icon of={IconPlus} size={14} />}
            onClick={() => onAdd(newLeaf(subject))}
          >
            {texts.subjects[subject]}
          </Button>
        ))}
      </div>
    </div>
  )
}

const STARTERS = ['attribute', 'event', 'tag', 'segment', 'last_seen', 'platform', 'users'] as const

function AddButtons({ depth, onAdd }: { readonly depth: number; readonly onAdd: (part: Written) => void }) {
  const texts = useTexts(FILTER_TEXTS)
  return (
    <div className={styles.adds}>
      <Button
        size="compact-sm"
        leftSection={<Icon of={IconPlus} size={14} />}
        onClick={() => onAdd(newLeaf('attribute'))}
      >
        {texts.add}
      </Button>
      {depth < SEGMENT_LIMITS.depthMax - 1 && (
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          onClick={() => onAdd({ any: [newLeaf('attribute')] })}
        >
          {texts.addGroup}
        </Button>
      )}
    </div>
  )
}

type TurnProps = {
  readonly core: Written
  readonly nots: number
  readonly onChange: (written: Written) => void
}

function JoinChoice({ core, nots, onChange }: TurnProps) {
  const texts = useTexts(FILTER_TEXTS)
  const choices = (['all', 'any'] as const).map((value) => ({ value, label: texts.joins[value] }))
  return (
    <div className={styles.join}>
      <Choice<Join>
        label={texts.join}
        value={joinOf(core) ?? 'all'}
        choices={choices}
        onChange={(join) => onChange(wrap({ [join]: partsOf(core) }, nots))}
      />
    </div>
  )
}

/** A pressed button means "not". A filter that says it twice shows it twice, until one is taken away. */
function NotToggle({ core, nots, onChange }: TurnProps) {
  const texts = useTexts(FILTER_TEXTS)
  return (
    <button
      type="button"
      className={styles.not}
      aria-pressed={nots > 0}
      title={texts.notLabel}
      onClick={() => onChange(wrap(core, nots === 0 ? 1 : nots - 1))}
    >
      {Array.from({ length: Math.max(nots, 1) }, () => texts.not).join(' ')}
    </button>
  )
}

type PartProps = Omit<NodeProps, 'written'> & {
  readonly part: Written
  readonly at: number
  readonly join: Join
  readonly isNew: boolean
  readonly onRemove: () => void
}

function Part({ part, at, join, isNew, onRemove, ...node }: PartProps) {
  const texts = useTexts(FILTER_TEXTS)
  const { path, depth, faults, onChange } = node
  const { nots, core } = peel(part)
  const isGroup = joinOf(core) !== null
  const word = join === 'all' ? texts.and : texts.or
  return (
    <li className={styles.part} aria-label={isGroup ? texts.group(at + 1) : texts.condition(at + 1)}>
      <span className={styles.word}>{at === 0 ? '' : word}</span>
      <NotToggle core={core} nots={nots} onChange={onChange} />
      <div className={styles.body}>
        {isGroup ? (
          <FilterNode {...node} written={part} depth={depth + 1} />
        ) : (
          <>
            <div className={styles.fields}>
              <Condition leaf={core} isNew={isNew} onChange={(next) => onChange(wrap(next, nots))} />
            </div>
            <Faults faults={faultsAt(faults, path, 'inside')} />
          </>
        )}
      </div>
      <ActionIcon aria-label={texts.remove} onClick={onRemove}>
        <Icon of={IconX} />
      </ActionIcon>
    </li>
  )
}
