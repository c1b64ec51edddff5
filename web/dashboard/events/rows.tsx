import { Button } from '@mantine/core'
import { type Json, parseJson } from '../../client/json.ts'
import { useSearchWords } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { FilterSentence } from '../kit/filter/filter-sentence.tsx'
import { filterIn } from '../kit/filter/filter-word.ts'
import { WhereSentence } from '../kit/filter/where-sentence.tsx'
import { useFormat } from '../kit/number.tsx'
import { useRows } from '../kit/rows.ts'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import { shortOf } from '../kit/time.tsx'
import { VirtualList } from '../kit/virtual-list.tsx'
import lines from './event-line.module.css'
import { EventWords } from './event-line.tsx'
import { PersonField } from './live.tsx'
import { NamePicker } from './name-picker.tsx'
import { EVER } from './range.ts'
import { EVENTS_TEXTS } from './texts.ts'
import styles from './tools.module.css'
import { FirstEvent } from './tools.tsx'
import { valueText } from './value-text.ts'

const PAGE_ROWS = 100

/** The rows behind a number: stored events of a name, a person, a time and an attribute. */
export function RowsView() {
  const { rows: texts, tail } = useTexts(EVENTS_TEXTS)
  const [words, change] = useSearchWords()
  const query = queryOf(words)
  const list = useRows('GET /api/v1/events', { query }, { rowsOf: ({ events }) => events })
  const { from = '', to = '' } = words
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
        <Narrowed />
        <div className={styles.end}>
          <CopyCurl endpoint="GET /api/v1/events" input={{ query }} />
        </div>
      </div>
      <Card title={texts.title} aside={from === '' && to === '' ? texts.usual : texts.newest} inset="flush">
        {list.error !== null && <FailureNote error={list.error} onRetry={list.retry} />}
        {(list.error === null || list.count !== undefined) && (
          <VirtualList
            label={texts.title}
            className={lines['list']}
            list={list}
            empty={isNarrowed ? <p className={`${styles.pad} quiet small`}>{tail.none}</p> : <FirstEvent />}
          >
            {(row) => <EventWords row={row} />}
          </VirtualList>
        )}
      </Card>
    </>
  )
}

/** The conditions of the address that narrow the rows, each with a button that drops it. */
function Narrowed() {
  const { rows: texts } = useTexts(EVENTS_TEXTS)
  const [words, change] = useSearchWords()
  const { from = '', to = '', attribute = '', group = '', others = '', where = '' } = words
  const { segment = '', people = '', mistyped = '' } = words
  return (
    <>
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
      {group !== '' && (
        <Button onClick={() => change({ by: '', group: '' })}>{groupText(words['by'] ?? '', group)} ✕</Button>
      )}
      {others !== '' && (
        <Button onClick={() => change({ by: '', others: '' })}>
          <OtherGroups by={words['by'] ?? ''} others={others} /> ✕
        </Button>
      )}
      {where !== '' && (
        <Button onClick={() => change({ where: '' })}>
          <WhereSentence where={listIn(where).map((part) => Object(part))} /> ✕
        </Button>
      )}
      {segment !== '' && (
        <Button onClick={() => change({ segment: '' })}>{texts.inSegment(segment)} ✕</Button>
      )}
      {people !== '' && (
        <Button className={styles.wraps ?? ''} onClick={() => change({ people: '' })}>
          <PeopleWords people={people} /> ✕
        </Button>
      )}
      {mistyped !== '' && (
        <Button onClick={() => change({ mistyped: '' })}>{texts.mistyped(mistyped)} ✕</Button>
      )}
    </>
  )
}

/** The conditions on people as a sentence. What somebody has cut stands as it is; the API says what is wrong with it. */
function PeopleWords({ people }: { readonly people: string }) {
  const filter = filterIn(people)
  return filter === null ? people : <FilterSentence filter={filter} />
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
    ['by', words['by']],
    ['group', words['group']],
    ['other_than', words['others']],
    ['where', words['where']],
    ['segment_id', words['segment']],
    ['people', words['people']],
    ['mistyped', words['mistyped']],
  ]
  const given = named.filter(([, value]) => value !== undefined && value !== '')
  return { limit: PAGE_ROWS, ...Object.fromEntries(given) }
}

/** The parts of a group and their values: `plan: gold, country: DE`. */
function groupText(by: string, group: string): string {
  const [parts, values] = [listIn(by), listIn(group)]
  return parts
    .map((part, at) => `${Object.values(Object(part)).join()}: ${valueText(values[at], '–')}`)
    .join(', ')
}

/** The groups that are left out, the first of them by name: `plan: not gold, silver and 8 more`. */
function OtherGroups({ by, others }: { readonly by: string; readonly others: string }) {
  const { rows: texts } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  const parts = listIn(by).map((part) => Object.values(Object(part)).join())
  const groups = listIn(others).map((values) =>
    (Array.isArray(values) ? values : [values]).map((value) => valueText(value, '–')).join(' / '),
  )
  const named = groups.slice(0, GROUPS_NAMED).join(', ')
  const rest = groups.length - GROUPS_NAMED
  return <>{texts.otherThan(parts.join(' / '), rest > 0 ? texts.more(named, format.count(rest)) : named)}</>
}

const GROUPS_NAMED = 2

/** An address that somebody has cut names no group; the API says what is wrong with it. */
function listIn(text: string): readonly Json[] {
  try {
    const list = parseJson(text)
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}

function Span({ from, to }: { readonly from: string; readonly to: string }) {
  const { rows: texts } = useTexts(EVENTS_TEXTS)
  const { language } = useLanguage()
  const said = (text: string): string => (text === '' ? '' : shortOf(new Date(text), language))
  return <>{from === EVER && to === '' ? texts.ever : texts.span(said(from), said(to))}</>
}
