import type { ReactNode } from 'react'
import { Link } from '../kit/address.tsx'
import { AsOf } from '../kit/as-of.tsx'
import { Card } from '../kit/card.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useInSight } from '../kit/in-sight.ts'
import type { RowList } from '../kit/rows.ts'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { VirtualTable } from '../kit/virtual-table.tsx'
import { EVENTS_TEXTS } from './texts.ts'

/** A person behind a number of a funnel or a retention report. */
type CountedPerson = { readonly user_id: string | null; readonly started_at: string; readonly at: string }

type PeopleRowsProps = {
  readonly title: string
  /** The names of the columns with the two times of a person; null if the second says nothing new. */
  readonly started: string
  readonly last: string | null
  readonly list: RowList<CountedPerson>
  readonly empty: string
  /** The button that copies the call. */
  readonly curl: ReactNode
  /** The address without the list. */
  readonly close: string
}

/** The people whom a number counts, below the card with the number. */
export function PeopleRows({ title, started, last, list, empty, curl, close }: PeopleRowsProps) {
  const { countedPeople: texts } = useTexts(EVENTS_TEXTS)
  useInSight('people', list.count !== undefined)
  return (
    <div id="people">
      <Card
        title={title}
        aside={
          <>
            <AsOf at={list.readAt} /> {curl} <Link to={close}>{texts.close}</Link>
          </>
        }
        inset="flush"
      >
        {list.error !== null && <FailureNote error={list.error} onRetry={list.retry} />}
        <VirtualTable
          label={title}
          columns={[
            { name: texts.person, cell: (person: CountedPerson) => <Who person={person} /> },
            { name: started, cell: (person: CountedPerson) => quiet(<Time at={person.started_at} />) },
            ...(last === null
              ? []
              : [{ name: last, cell: (person: CountedPerson) => quiet(<Time at={person.at} />) }]),
          ]}
          list={list}
          empty={<p className="small quiet">{empty}</p>}
        />
      </Card>
    </div>
  )
}

function quiet(words: ReactNode) {
  return <span className="quiet">{words}</span>
}

function Who({ person: { user_id: userId } }: { readonly person: CountedPerson }) {
  const { tail } = useTexts(EVENTS_TEXTS)
  if (userId === null) return <span className="quiet">{tail.visitor}</span>
  return <Link to={`/people/${encodeURIComponent(userId)}`}>{userId}</Link>
}
