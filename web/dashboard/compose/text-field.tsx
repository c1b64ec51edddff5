import { Textarea, TextInput } from '@mantine/core'
import { useRef } from 'react'
import { useTexts } from '../kit/texts.tsx'
import { BASE, type Draft, type Focus, NO_WORDS, type Words } from './draft.ts'
import { FieldHead } from './field-head.tsx'
import { useLimits } from './limits.ts'
import styles from './page.module.css'
import { COMPOSE_TEXTS } from './texts.ts'
import type { PartProps } from './who.tsx'

type TextFieldProps = Pick<PartProps, 'draft' | 'change' | 'dryRun'> & {
  readonly focus: Focus
  readonly field: keyof Words
}

/** The title or the message, in the language and the variant, or for the platform, that is looked at. */
export function TextField({ draft, change, focus, dryRun, field }: TextFieldProps) {
  const { what } = useTexts(COMPOSE_TEXTS)
  const place = useRef<HTMLInputElement & HTMLTextAreaElement>(null)
  const text = textAt(draft, focus, field)
  const write = (next: string): void => change(withText(draft, { focus, field, text: next }))
  const insert = (name: string): void => {
    const at = place.current?.selectionStart ?? text.length
    write(`${text.slice(0, at)}{{ user.${name} }}${text.slice(place.current?.selectionEnd ?? at)}`)
    place.current?.focus()
  }
  const label = field === 'title' ? what.titleField : what.message
  const counter = useLimits({ draft, dryRun, field, text, platform: focus.platform })
  const id = `compose-${field}`
  const common = {
    id,
    ref: place,
    value: text,
    error: counter.isOver,
    placeholder: fallbackOf(draft, focus, field) ?? '',
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      write(currentTarget.value),
  }
  return (
    <div className={styles.field}>
      <FieldHead htmlFor={id} label={label} counter={counter} onInsert={insert} />
      {field === 'title' ? (
        <TextInput {...common} />
      ) : (
        <Textarea {...common} autosize minRows={2} maxRows={8} />
      )}
    </div>
  )
}

function textAt({ texts, owns }: Draft, { language, variant, platform }: Focus, field: keyof Words): string {
  if (platform !== null) return owns[variant][platform][field] ?? ''
  return (texts[variant][language] ?? NO_WORDS)[field]
}

type Written = { readonly focus: Focus; readonly field: keyof Words; readonly text: string }

function withText({ texts, owns }: Draft, { focus, field, text }: Written): Partial<Draft> {
  const { language, variant, platform } = focus
  if (platform !== null) {
    const own = { ...owns[variant][platform], [field]: text }
    return { owns: { ...owns, [variant]: { ...owns[variant], [platform]: own } } }
  }
  const words = texts[variant][language] ?? NO_WORDS
  return { texts: { ...texts, [variant]: { ...texts[variant], [language]: { ...words, [field]: text } } } }
}

/** The hint where a field stays empty; undefined where it must not. */
function fallbackOf({ texts, owns }: Draft, focus: Focus, field: keyof Words): string | undefined {
  const { language, variant, platform } = focus
  const base = texts.A[BASE]?.[field]
  const second = texts.B[BASE]?.[field] ?? ''
  if (platform !== null && variant === 'B') return second === '' ? (owns.A[platform][field] ?? base) : second
  if (platform !== null || language !== BASE || variant === 'B') return base
  return undefined
}
