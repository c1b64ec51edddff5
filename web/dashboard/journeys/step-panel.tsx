import { Button, NativeSelect, Switch, TextInput } from '@mantine/core'
import IconChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs'
import { useState } from 'react'
import { JOURNEY_KEYS } from '../../../src/rules/journey-documents.ts'
import { JOURNEY_STEPS } from '../../../src/rules/journey-steps.ts'
import { JOURNEY_END, JOURNEY_LIMITS } from '../../../src/rules/journeys.ts'
import { Icon } from '../kit/icon.tsx'
import { useTexts } from '../kit/texts.tsx'
import { AddMenu } from './add-menu.tsx'
import type { Chosen } from './chosen.ts'
import { type Fields, fieldsOf, idOf, kindOf, listOf, plainOf, waysOf } from './draft.ts'
import { changeStep, connect, removeStep, renameStep } from './edits.ts'
import { useNames } from './field-props.ts'
import { stepOfFault } from './graph.ts'
import styles from './panel.module.css'
import { ShapeField } from './shape-field.tsx'
import { JOURNEY_TEXTS } from './texts.ts'
import type { Editor, Fault } from './use-editor.ts'

type PanelProps = { readonly editor: Editor; readonly chosen: Chosen }

/** Everything about one step: its name, what it does, where it leads. */
export function StepPanel({ editor, chosen, step }: PanelProps & { readonly step: Fields }) {
  const texts = useTexts(JOURNEY_TEXTS)
  const { draft, change, mayEdit } = editor
  const id = idOf(step)
  const kind = kindOf(step)
  const index = draft.steps.indexOf(step)
  const faults = faultsOf(editor.faults, (field) => stepOfFault(field)?.index === index)
  const path = `steps[${index}]`
  return (
    <section className={styles.form} aria-label={`${texts.kinds[kind]} ${id}`}>
      <BackTo chosen={chosen} />
      <h2>{texts.kinds[kind]}</h2>
      <Loose faults={editor.faults} isOwn={(field) => field === path || field === `${path}.${kind}`} />
      <fieldset className={styles.fields} disabled={!mayEdit}>
        <NameField
          key={id}
          name={id}
          onRename={(name) => {
            const renamed = renameStep(draft, id, name)
            change(renamed)
            if (renamed !== draft) chosen.choose({ step: name })
          }}
        />
        <ShapeField
          shape={JOURNEY_STEPS[kind].shape}
          name={kind}
          value={step[kind]}
          path={`${path}.${kind}`}
          faults={faults}
          onChange={(value) => change(changeStep(draft, id, { ...step, [kind]: value ?? {} }))}
        />
        <Ways editor={editor} step={step} chosen={chosen} />
        {mayEdit && (
          <Button
            c="var(--bad)"
            className={styles.start}
            onClick={() => {
              change(removeStep(draft, id))
              chosen.choose({ step: null })
            }}
          >
            {texts.remove}
          </Button>
        )}
      </fieldset>
    </section>
  )
}

function faultsOf(
  faults: readonly Fault[],
  isOwn: (field: string | null) => boolean,
): ReadonlyMap<string, string> {
  return new Map(
    faults.flatMap(({ field, message }) => (field !== null && isOwn(field) ? [[field, message]] : [])),
  )
}

function BackTo({ chosen }: Pick<PanelProps, 'chosen'>) {
  const texts = useTexts(JOURNEY_TEXTS)
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      className={styles.back}
      leftSection={<Icon of={IconChevronLeft} size={14} />}
      onClick={() => chosen.choose({ step: null })}
    >
      {texts.back}
    </Button>
  )
}

/** Faults that belong to no field of the form. */
function Loose({
  faults,
  isOwn,
}: {
  readonly faults: readonly Fault[]
  readonly isOwn: (field: string | null) => boolean
}) {
  const own = faults.filter(({ field }) => isOwn(field))
  if (own.length === 0) return null
  return (
    <ul className={styles.faults} role="alert">
      {own.map(({ field, message }) => (
        <li key={`${field ?? ''} ${message}`}>{message}</li>
      ))}
    </ul>
  )
}

/** A name is told to every way when the field is left, not at each letter. */
function NameField({ name, onRename }: { readonly name: string; readonly onRename: (name: string) => void }) {
  const texts = useTexts(JOURNEY_TEXTS)
  const [typed, setTyped] = useState(name)
  return (
    <TextInput
      label={texts.stepName}
      maxLength={JOURNEY_LIMITS.stepIdCharsMax}
      value={typed}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onBlur={() => {
        if (typed !== name) onRename(typed.trim())
      }}
    />
  )
}

/** Where the step leads, by keyboard: the canvas does the same with the pointer. */
function Ways({ editor, step, chosen }: PanelProps & { readonly step: Fields }) {
  const texts = useTexts(JOURNEY_TEXTS)
  const { draft, change, mayEdit } = editor
  const from = idOf(step)
  const targets = [
    ...draft.steps.map(idOf).map((id) => ({ value: id, label: id })),
    { value: JOURNEY_END, label: texts.end },
  ]
  return (
    <>
      {waysOf(step).map(({ place, to }) => (
        <div key={place} className={styles.way}>
          <NativeSelect
            label={wayName(texts, step, place)}
            value={to}
            data={targets}
            onChange={({ currentTarget }) => change(connect(draft, { from, place }, currentTarget.value))}
          />
          {mayEdit && (
            <AddMenu
              draft={draft}
              at={{ from, place }}
              label={texts.addWay(`${from}, ${wayName(texts, step, place)}`)}
              onAdd={(added, id) => {
                change(added)
                chosen.choose({ step: id })
              }}
            />
          )}
        </div>
      ))}
    </>
  )
}

type WayTexts = { readonly ways: Readonly<Record<string, string>>; readonly way: (share: string) => string }

function wayName({ ways, way }: WayTexts, step: Fields, place: string): string {
  const share = fieldsOf(listOf(step['split'])[Number(place)])['percent']
  return ways[place] ?? way(`${plainOf(share)} %`)
}

const RULES = ['trigger', 'reentry', 'quiet_hours'] as const
const MATCHES = ['goal', 'exit'] as const

function isOfRules(field: string | null): boolean {
  return stepOfFault(field) === null
}

/** The settings of the whole journey: who enters, what ends it, and when it is quiet. */
export function RulesPanel({ editor, chosen }: PanelProps) {
  const texts = useTexts(JOURNEY_TEXTS)
  const { draft, change, mayEdit } = editor
  const faults = faultsOf(editor.faults, isOfRules)
  const [trigger, ...others] = RULES
  const rule = (key: (typeof RULES)[number]) => (
    <ShapeField
      key={key}
      shape={JOURNEY_KEYS[key].shape}
      name={key}
      value={draft[key]}
      path={key}
      faults={faults}
      onChange={(value) => change({ ...draft, [key]: value ?? [] })}
    />
  )
  return (
    <section className={styles.form} aria-label={texts.settings}>
      <BackTo chosen={chosen} />
      <h2>{texts.settings}</h2>
      <Loose
        faults={editor.faults}
        isOwn={(field) => field === null || field === 'steps' || field === 'trigger'}
      />
      <fieldset className={styles.fields} disabled={!mayEdit}>
        {rule(trigger)}
        {MATCHES.map((key) => (
          <Match key={key} name={key} editor={editor} faults={faults} />
        ))}
        {others.map(rule)}
      </fieldset>
    </section>
  )
}

type MatchProps = {
  readonly name: (typeof MATCHES)[number]
  readonly editor: Editor
  readonly faults: ReadonlyMap<string, string>
}

function Match({ name, editor: { draft, change }, faults }: MatchProps) {
  const texts = useTexts(JOURNEY_TEXTS)
  const { label } = useNames()
  const value = draft[name]
  return (
    <fieldset className={styles.fields}>
      <legend className="sr-only">{label(name)}</legend>
      <Switch
        label={name === 'goal' ? texts.goalOn : texts.exitOn}
        checked={value !== null}
        onChange={({ currentTarget }) =>
          change({ ...draft, [name]: currentTarget.checked ? { event: '' } : null })
        }
      />
      {value !== null && (
        <ShapeField
          shape={JOURNEY_KEYS[name].shape}
          name={name}
          value={value}
          path={name}
          faults={faults}
          onChange={(changed) => change({ ...draft, [name]: fieldsOf(changed) })}
        />
      )}
    </fieldset>
  )
}
