import { addressOf, useSearchWords } from '../kit/address.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { useRows } from '../kit/rows.ts'
import { useTexts } from '../kit/texts.tsx'
import type { FunnelWalk } from './funnel-question.ts'
import { PeopleRows } from './people-rows.tsx'
import { EVENTS_TEXTS } from './texts.ts'

const LIST = 'POST /api/v1/events/funnel/people'
const PAGE_ROWS = 100

type Words = Readonly<Record<string, string | undefined>>

type Counted = { readonly step: number; readonly did: 'reached' | 'stopped' }

/** The address of the people whom a number of the funnel counts. The first step is 1. */
export function peopleAddress(words: Words, { step, did }: Counted): string {
  const asked = { ...words, people: String(step), did: did === 'stopped' ? did : undefined }
  return `${addressOf('/events/funnel', asked)}#people`
}

type FunnelPeopleProps = { readonly body: FunnelWalk }

/** The people behind a number of the funnel, if the address asks for them. */
export function FunnelPeople({ body }: FunnelPeopleProps) {
  const [words] = useSearchWords()
  const step = Number(words['people'] ?? 0)
  const did = words['did'] === 'stopped' ? 'stopped' : 'reached'
  if (body.steps[step - 1] === undefined) return null
  return <Rows key={`${step} ${did}`} body={body} counted={{ step, did }} />
}

type RowsProps = FunnelPeopleProps & { readonly counted: Counted }

function Rows({ body, counted }: RowsProps) {
  const { funnel: texts } = useTexts(EVENTS_TEXTS)
  const [words] = useSearchWords()
  const input = { body: { ...body, ...counted }, query: { limit: PAGE_ROWS } }
  const list = useRows(LIST, input, { rowsOf: ({ people }) => people })
  return (
    <PeopleRows
      title={texts.people[counted.did](body.steps[counted.step - 1] ?? '')}
      started={texts.people.started}
      last={texts.people.last}
      list={list}
      empty={texts.nobody}
      curl={<CopyCurl endpoint={LIST} input={input} />}
      close={addressOf('/events/funnel', { ...words, people: undefined, did: undefined })}
    />
  )
}
