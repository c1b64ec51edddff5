import { NumberInput } from '@mantine/core'
import { useSearchWords } from '../kit/address.tsx'
import { useTyped } from '../kit/typing.ts'
import { type NumberRange, numberIn } from './number-word.ts'
import styles from './tools.module.css'

type NumberChoiceProps = {
  readonly label: string
  /** The word of the address. */
  readonly word: string
  readonly choice: NumberRange
  /** Words of the address that another number makes meaningless. */
  readonly stale?: Readonly<Record<string, string>>
}

/** A whole number of the question. An empty field means the usual one, which stands there in grey. */
export function NumberChoice({ label, word, choice, stale = {} }: NumberChoiceProps) {
  const [words, change] = useSearchWords()
  const given = words[word] ?? ''
  const { value, onChange } = useTyped({
    value: given === '' ? '' : String(numberIn(given, choice)),
    onChange: (text) => change({ [word]: text === '' ? '' : String(numberIn(text, choice)), ...stale }),
  })
  return (
    <NumberInput
      className={styles.number ?? ''}
      label={label}
      placeholder={String(choice.usual)}
      min={choice.min}
      max={choice.max}
      allowDecimal={false}
      allowNegative={false}
      value={value}
      onChange={(typed) => onChange({ currentTarget: { value: String(typed) } })}
    />
  )
}
