import { Button } from '@mantine/core'
import { useSearchWords } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { KIT_TEXTS } from '../kit/kit-texts.ts'
import { useReadPages } from '../kit/queries.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { shortOf } from '../kit/time.tsx'
import lines from './event-line.module.css'
import { EventLine } from './event-line.tsx'
import { PersonField } from './live.tsx'
import { NamePicker } from './name-picker.tsx'
import { EVENTS_TEXTS } from './texts.ts'
import styles from './tools.module.css'
import { FirstEvent } from './tools.tsx'

const PAGE_ROWS = 100

/** The rows behind a number: stored events of a name, a person, a time and an attribute. */
export function RowsView() {
  const { rows: texts, tail } = useTexts(EVENTS_TEXTS)
  const { more } = useTexts(KIT_TEXTS)
  const [words, change] = useSearchWords()
  const query = queryOf(words)
  const pages = useReadPages('GET /api/v1/events', { query })
  const rows = pages.data?.pages.flatMap(({ events }) => events)
  const { from = '', to = '', attribute = '' } = words
  const isNarrowed = Object.keys(query).length > 1
  return (
    <>
      <div className={styles.tools}>
        <NamePicker
          label={tail.name}
          hint={tail.anyName}
          value={words['name'] ?? ''}
          onChange={(name) => change({ name })}
        />
        <PersonField value={words['person'] ?? ''} onChange={(person) => change({ person })} />
        {(from !== '' || to !== '') && (
          <Button onClick={() => change({ from: '', to: '' })}>
            <Span from={from} to={to} /> ✕
          </Button>
        )}
        {attribute !== '' && (
          <Button onClick={() => change({ attribute: '', value: '' })}>
            {texts.where(attribute, words['value'] ?? '')} ✕
          </Button>
        )}
        <div className={styles.end}>
          <CopyCurl endpoint="GET /api/v1/events" input={{ query }} />
        </div>
      </div>
      <Card title={texts.title} aside={from === '' && to === '' ? texts.usual : texts.newest} inset="flush">
        {pages.error !== null && <FailureNote error={pages.error} onRetry={() => void pages.refetch()} />}
        {rows === undefined && pages.error === null && (
          <div className={styles.pad}>
            <Lines count={8} />
          </div>
        )}
        {rows?.length === 0 &&
          (isNarrowed ? <p className={`${styles.pad} quiet small`}>{tail.none}</p> : <FirstEvent />)}
        <ol className={lines['list']} aria-label={texts.title}>
          {rows?.map((row) => (
            <EventLine key={row.id} row={row} />
          ))}
        </ol>
        {pages.hasNextPage && (
          <div className={styles.pad}>
            <Button onClick={() => void pages.fetchNextPage()} loading={pages.isFetchingNextPage}>
              {more}
            </Button>
          </div>
        )}
      </Card>
    </>
  )
}

/** The words of the address under the names of the API. */
function queryOf(words: Readonly<Record<string, string | undefined>>): { readonly limit: number } {
  const named = [
    ['event_name', words['name']],
    ['userID', words['person']],
    ['from', words['from']],
    ['to', words['to']],
    ['attribute', words['attribute']],
    ['value', words['attribute'] === undefined ? undefined : words['value']],
  ]
  const given = named.filter(([, value]) => value !== undefined && value !== '')
  return { limit: PAGE_ROWS, ...Object.fromEntries(given) }
}

function Span({ from, to }: { readonly from: string; readonly to: string }) {
  const { rows: texts } = useTexts(EVENTS_TEXTS)
  const { language } = useLanguage()
  const said = (text: string): string => (text === '' ? '' : shortOf(new Date(text), language))
  return <>{texts.span(said(from), said(to))}</>
}
