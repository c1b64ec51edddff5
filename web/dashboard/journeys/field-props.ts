import { type ComponentType, createContext } from 'react'
import type { DocumentShape } from '../../../src/rules/documents.ts'
import type { Json } from '../../client/json.ts'
import { useTexts } from '../kit/texts.tsx'
import { FIELD_TEXTS } from './field-texts.ts'

export type FieldProps<Shape extends DocumentShape = DocumentShape> = {
  readonly shape: Shape
  /** The key in the document, which the label is the name of. */
  readonly name: string
  readonly value: Json | undefined
  readonly onChange: (value: Json | undefined) => void
  /** Where the value stands in the document, as faults name it. */
  readonly path: string
  readonly faults: ReadonlyMap<string, string>
}

/** The names of keys and words for people; a key without one is shown as it is written. */
export function useNames() {
  const { fields, words } = useTexts(FIELD_TEXTS)
  const names: Readonly<Record<string, string>> = fields
  const said: Readonly<Record<string, string>> = words
  return {
    label: (name: string) => names[name] ?? name,
    word: (name: string) => said[name] ?? names[name] ?? name,
  }
}

/** The field for any shape, for fields that contain others: a list of conditions, each of which may hold a list again. */
export const FieldContext = createContext<ComponentType<FieldProps>>(() => null)
