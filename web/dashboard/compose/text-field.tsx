import { useTexts } from '../kit/texts.tsx'
import { BASE, type ControlProps, type Draft, type Focus, NO_WORDS, type Words } from './draft.ts'
import { useLimits } from './limits.ts'
import type { Rendered } from './rendered.ts'
import { COMPOSE_TEXTS } from './texts.ts'
import { WordsField } from './words-field.tsx'

type TextFieldProps = ControlProps & {
  readonly rendered: Rendered | undefined
  readonly focus: Focus
  readonly field: keyof Words
}

/** The title or the message, in the language and the variant, or for the platform, that is looked at. */
export function TextField({ draft, change, focus, rendered, field }: TextFieldProps) {
  const { what } = useTexts(COMPOSE_TEXTS)
  const text = textAt(draft, focus, field)
  return (
    <WordsField
      id={`compose-${field}`}
      label={field === 'title' ? what.titleField : what.message}
      counter={useLimits({ draft, rendered, field, text, platform: focus.platform })}
      shape={field === 'title' ? 'line' : 'lines'}
      value={text}
      placeholder={fallbackOf(draft, focus, field) ?? ''}
      onChange={(next) => change(withText(draft, { focus, field, text: next }))}
    />
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
function fallbackOf({ texts, owns, template }: Draft, focus: Focus, field: keyof Words): string | undefined {
  const { language, variant, platform } = focus
  const base = texts.A[BASE]?.[field] || template?.content[field]
  const second = texts.B[BASE]?.[field] ?? ''
  if (platform !== null && variant === 'B') return second === '' ? (owns.A[platform][field] ?? base) : second
  if (platform !== null || language !== BASE || variant === 'B') return base
  return template?.content[field]
}
