import type { ReactNode } from 'react'
import { addressOf, Link, useSearchWords } from '../kit/address.tsx'
import { AsOf } from '../kit/as-of.tsx'
import type { ReplyOf } from '../kit/call.ts'
import { Card } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useInSight } from '../kit/in-sight.ts'
import { useRows } from '../kit/rows.ts'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { VirtualTable } from '../kit/virtual-table.tsx'
import { EVENTS_TEXTS } from './texts.ts'

const LIST = 'POST /api/v1/events/funnel/people'
const PAGE_ROWS = 100

type Person = ReplyOf<typeof LIST>['people'][number]

type Words = Readonly<Record<string, string | undefined>>

type Counted = { readonly step: number; readonly did: 'reached' | 'stopped' }

/** The address of the people whom a number of the funnel counts. The first step is 1. */
export function peopleAddress(words: Words, { step, did }: Counted): string {
  const asked = { ...words, people: String(step), did: did === 'stopped' ? did : undefined }
  return `${addressOf('/events/funnel', asked)}#people`
}

type FunnelPeopleProps = {
  readonly body: { readonly steps: readonly string[]; readonly within: number; readonly from: string }
}

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
  useInSight('people', list.count !== undefined)
  const title = texts.people[counted.did](body.steps[counted.step - 1] ?? '')
  const close = addressOf('/events/funnel', { ...words, people: undefined, did: undefined })
  return (
    <div id="people">
      <Card
        title={title}
        aside={
          <>
            <AsOf at={list.readAt} /> <CopyCurl endpoint={LIST} input={input} />{' '}
            <Link to={close}>{texts.people.close}</Link>
          </>
        }
        inset="flush"
      >
        {list.error !== null && <FailureNote error={list.error} onRetry={list.retry} />}
        <VirtualTable
          label={title}
          columns={[
            { name: texts.people.person, cell: (person: Person) => <Who person={person} /> },
            { name: texts.people.started, cell: (person: Person) => quiet(<Time at={person.started_at} />) },
            { name: texts.people.last, cell: (person: Person) => quiet(<Time at={person.at} />) },
          ]}
          list={list}
          empty={<p className="small quiet">{texts.nobody}</p>}
        />
      </Card>
    </div>
  )
}

function quiet(words: ReactNode) {
  return <span className="quiet">{words}</span>
}

function Who({ person: { user_id: userId } }: { readonly person: Person }) {
  const { tail } = useTexts(EVENTS_TEXTS)
  if (userId === null) return <span className="quiet">{tail.visitor}</span>
  return <Link to={`/people/${encodeURIComponent(userId)}`}>{userId}</Link>
}
