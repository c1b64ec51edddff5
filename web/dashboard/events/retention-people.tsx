import { addressOf, useSearchWords } from '../kit/address.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { dateFormat } from '../kit/formats.ts'
import { useRows } from '../kit/rows.ts'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { PeopleRows } from './people-rows.tsx'
import type { RetentionWalk } from './retention-question.ts'
import { yearOf } from './span-name.ts'
import { EVENTS_TEXTS } from './texts.ts'

const LIST = 'GET /api/v1/events/retention/people'
const PAGE_ROWS = 100

type Words = Readonly<Record<string, string | undefined>>

/** The place of a number in the report. */
type Cell = { readonly cohort: string; readonly period: number }

/** The address of the people whom a number of the report counts. In period 0 they are the whole cohort. */
export function cohortAddress(words: Words, { cohort, period }: Cell): string {
  const asked = { ...words, cohort, period: period === 0 ? undefined : String(period) }
  return `${addressOf('/events/retention', asked)}#people`
}

type RetentionPeopleProps = { readonly query: RetentionWalk }

/** The people behind a number of the report, if the address asks for them. */
export function RetentionPeople({ query }: RetentionPeopleProps) {
  const [{ cohort = '', period = '0' }] = useSearchWords()
  if (Number.isNaN(Date.parse(`${cohort}T00:00:00Z`)) || !/^\d{1,2}$/.test(period)) return null
  // An address may name a period of a longer report.
  if (Number(period) >= query.periods) return null
  return <Rows key={`${cohort} ${period}`} query={query} cell={{ cohort, period: Number(period) }} />
}

type RowsProps = RetentionPeopleProps & { readonly cell: Cell }

function Rows({ query, cell }: RowsProps) {
  const { retention: texts } = useTexts(EVENTS_TEXTS)
  const { language } = useLanguage()
  const [words] = useSearchWords()
  const input = { query: { ...query, ...cell, limit: PAGE_ROWS } }
  const list = useRows(LIST, input, { rowsOf: ({ people }) => people })
  const { list: names } = texts
  const isWhole = cell.period === 0
  const day = cohortDay(language, cell.cohort)
  return (
    <PeopleRows
      title={isWhole ? names.started[query.unit](day) : names.returned[query.unit](day, String(cell.period))}
      started={names.start}
      last={isWhole ? null : names.last}
      list={list}
      empty={isWhole ? texts.none : names.nobody}
      curl={<CopyCurl endpoint={LIST} input={input} />}
      close={addressOf('/events/retention', { ...words, cohort: undefined, period: undefined })}
    />
  )
}

/** The first day of a cohort, as people write it. */
export function cohortDay(language: Parameters<typeof dateFormat>[0], day: string): string {
  const format = dateFormat(language, { day: 'numeric', month: 'short', ...yearOf(day), timeZone: 'UTC' })
  return format.format(new Date(`${day}T00:00:00Z`))
}
