import type { SegmentFilter } from '../../../client/api/documents.ts'
import { useRead } from '../queries.ts'
import { useLanguage, useTexts } from '../texts.tsx'
import { FILTER_TEXTS } from './filter-texts.ts'
import { referencesOf, sentenceOf } from './sentence.ts'
import { writtenOf } from './written.ts'

/** A filter as a plain sentence in the reader's language. */
export function FilterSentence({ filter }: { readonly filter: SegmentFilter }) {
  const { language } = useLanguage()
  const nameOf = useSegmentNames(referencesOf(writtenOf(filter)).length > 0)
  return <>{sentenceOf(filter, language, nameOf)}</>
}

const NAMES = { query: { limit: 500 } } as const

/** The name of a segment by its id, as soon as the list is there. */
function useSegmentNames(isEnabled: boolean): (id: string) => string {
  const texts = useTexts(FILTER_TEXTS)
  const { data } = useRead('GET /api/v1/segments', NAMES, { isEnabled })
  return (id) =>
    data?.segments.find(({ segment_id: own }) => String(own) === id)?.name ?? texts.unknownSegment(id)
}

export type SegmentChoice = { readonly id: number | bigint; readonly name: string }

/** The segments that a condition can refer to. */
export function useSegmentChoices(): readonly SegmentChoice[] {
  const { data } = useRead('GET /api/v1/segments', NAMES)
  return data?.segments.map(({ segment_id: id, name }) => ({ id, name })) ?? []
}
