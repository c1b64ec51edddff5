import { useDebouncedValue } from '@mantine/hooks'
import { useRef } from 'react'
import { encodeJson, type Json, parseJson } from '../../client/json.ts'
import type { Rendered } from '../compose/rendered.ts'
import { useRead } from '../kit/queries.ts'
import { TYPING_MS } from '../kit/typing.ts'

type PreviewQuestion = {
  readonly content: Readonly<Record<string, Json>>
  readonly platforms: readonly string[]
  /** Empty for somebody whom the server chooses. */
  readonly person: string
  /** Null for the language of the person. */
  readonly language: string | null
  readonly isEnabled: boolean
}

type ContentPreview = { readonly rendered: Rendered | undefined; readonly refusal: Error | null }

/** A content that is not saved, rendered by the server a moment after the last key. */
export function useContentPreview({
  content,
  platforms,
  person,
  language,
  isEnabled,
}: PreviewQuestion): ContentPreview {
  // The text of the question, because each drawing of the page makes a new object.
  const question = {
    content,
    platforms,
    ...(person === '' ? {} : { user_id: person }),
    ...(language === null ? {} : { language }),
  }
  const text = isEnabled ? encodeJson(question) : ''
  const [calm] = useDebouncedValue(text, TYPING_MS)
  const whole = useRef('')
  if (!hasOpenTag(calm)) whole.current = calm
  const isAsked = isEnabled && whole.current !== ''
  const { data, error } = useRead(
    'POST /api/v1/templates/preview',
    { body: Object(parseJson(isAsked ? whole.current : '{}')) },
    { isEnabled: isAsked, keepsFormer: true },
  )
  if (!isEnabled) return { rendered: undefined, refusal: null }
  return { rendered: error === null ? data : undefined, refusal: error }
}

/** Whether a fact or a snippet is half typed: the server would refuse it, so the text before it is shown on. */
function hasOpenTag(json: string): boolean {
  return OPEN_TAG.test(json)
}

/** The beginning of a tag, and no end of it before the quote that ends the text in JSON. */
const OPEN_TAG = /\{[{%](?:\\.|(?![%}]\})[^"\\])*"/su
