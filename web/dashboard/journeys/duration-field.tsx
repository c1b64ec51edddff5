import { ActionIcon, Button, NativeSelect, NumberInput } from '@mantine/core'
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs'
import { DURATION_UNITS } from '../../../src/rules/journeys.ts'
import { Icon } from '../kit/icon.tsx'
import { useTexts } from '../kit/texts.tsx'
import { fieldsOf } from './draft.ts'
import { type FieldProps, useNames } from './field-props.ts'
import styles from './fields.module.css'
import { JOURNEY_TEXTS } from './texts.ts'

const UNITS = Object.keys(DURATION_UNITS)

/** A length of time as amounts of units: mostly one, sometimes a sum. */
export function DurationField({ name, value, onChange, path, faults }: Omit<FieldProps, 'shape'>) {
  const texts = useTexts(JOURNEY_TEXTS)
  const { label, word } = useNames()
  const entries = Object.entries(fieldsOf(value))
  const free = UNITS.filter((unit) => !entries.some(([used]) => used === unit))
  const change = (index: number, entry: readonly [string, number]): void =>
    onChange(Object.fromEntries(entries.map((old, place) => (place === index ? entry : old))))
  const fault = faults.get(path) ?? UNITS.map((unit) => faults.get(`${path}.${unit}`)).find(Boolean)
  return (
    <fieldset className={styles.group}>
      <legend>{label(name)}</legend>
      {entries.map(([unit, amount], index) => (
        <div key={unit} className={styles.line}>
          <NumberInput
            aria-label={`${label(name)}: ${word(unit)}`}
            hideControls
            min={0}
            allowDecimal={false}
            value={Number(amount)}
            onChange={(typed) => change(index, [unit, Number(typed)])}
          />
          <NativeSelect
            aria-label={`${label(name)}: ${texts.kind}`}
            value={unit}
            data={[unit, ...free].map((one) => ({ value: one, label: word(one) }))}
            onChange={({ currentTarget }) => change(index, [currentTarget.value, Number(amount)])}
          />
          {entries.length > 1 && (
            <ActionIcon
              aria-label={`${texts.removeItem}: ${word(unit)}`}
              onClick={() => onChange(Object.fromEntries(entries.filter(([used]) => used !== unit)))}
            >
              <Icon of={IconX} />
            </ActionIcon>
          )}
        </div>
      ))}
      {fault !== undefined && <p className={styles.fault}>{fault}</p>}
      {free[0] !== undefined && entries.length < 2 && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          onClick={() => onChange({ ...fieldsOf(value), [nextUnit(free)]: 1 })}
        >
          {texts.addItem}
        </Button>
      )}
    </fieldset>
  )
}

function nextUnit(free: readonly string[]): string {
  return free.find((unit) => unit === 'minutes' || unit === 'hours') ?? free[0] ?? 'hours'
}
