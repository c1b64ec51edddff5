import type { Json } from '../../client/json.ts'
import { useFormat } from '../kit/number.tsx'
import type { Column } from '../kit/table.tsx'
import { useTexts } from '../kit/texts.tsx'
import { partName } from './parts.ts'
import { EVENTS_TEXTS } from './texts.ts'
import { valueText } from './value-text.ts'

/** The values of a group, one for each part. */
export type Names = readonly (Json | undefined)[]

/** A row about a group; without names it is about all groups that are not shown. */
export type OfGroup = { readonly names: Names | null }

/** A column for each part that groups are made by. */
export function usePartColumns(parts: readonly string[], otherGroups = 0): readonly Column<OfGroup>[] {
  const { explore: texts, trend } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  return parts.map((part, at) => ({
    name: partName(part, texts.event),
    cell: ({ names }) => {
      if (names === null) return at === 0 ? texts.others(format.count(otherGroups)) : ''
      return valueText(names[at], trend.without)
    },
  }))
}

/** The name of a group, or of the rest, in one piece. */
export function useGroupName(): (names: Names | null, otherGroups?: number) => string {
  const { explore: texts, trend } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  return (names, otherGroups = 0) =>
    names === null
      ? texts.others(format.count(otherGroups))
      : names.map((value) => valueText(value, trend.without)).join(' / ')
}
