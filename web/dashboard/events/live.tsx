import { Button, TextInput } from '@mantine/core'
import { useSearchWords } from '../kit/address.tsx'
import { Card } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMay } from '../kit/member.ts'
import { useFormat } from '../kit/number.tsx'
import { Pill } from '../kit/pill.tsx'
import { useRead } from '../kit/queries.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { useTyped } from '../kit/typing.ts'
import lines from './event-line.module.css'
import { EventLine } from './event-line.tsx'
import { NamePicker } from './name-picker.tsx'
import { type TailFilter, type TailView, useTail } from './tail-stream.ts'
import { EVENTS_TEXTS } from './texts.ts'
import styles from './tools.module.css'
import { FirstEvent } from './tools.tsx'

/** The events as they come. */
export function LiveView() {
  const { tail: texts } = useTexts(EVENTS_TEXTS)
  const [words, change] = useSearchWords()
  const mayReadAll = useMay('events:read')
  const filter = { name: words['name'] ?? '', person: words['person'] ?? '' }
  return (
    <>
      <div className={styles.tools}>
        <NamePicker
          label={texts.name}
          hint={texts.anyName}
          value={filter.name}
          onChange={(name) => change({ name })}
        />
        {mayReadAll && <PersonField value={filter.person} onChange={(person) => change({ person })} />}
        <div className={styles.end}>
          <CopyCurl endpoint="GET /api/v1/live" input={{ query: { subjects: 'events' } }} />
        </div>
      </div>
      <Tail key={JSON.stringify(filter)} filter={filter} />
    </>
  )
}

export function PersonField({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (person: string) => void
}) {
  const { tail: texts } = useTexts(EVENTS_TEXTS)
  return (
    <TextInput
      {...useTyped({ value, onChange })}
      className={styles.picker}
      aria-label={texts.person}
      placeholder={texts.personHint}
      maxLength={254}
    />
  )
}

const EARLIER_ROWS = 50

/** The newest stored events, and above them those that come while one looks. */
function Tail({ filter }: { readonly filter: TailFilter }) {
  const { tail: texts } = useTexts(EVENTS_TEXTS)
  const mayReadAll = useMay('events:read')
  const { name, person } = filter
  const query = {
    limit: EARLIER_ROWS,
    ...(name === '' ? {} : { event_name: name }),
    ...(person === '' ? {} : { userID: person }),
  }
  const earlier = useRead('GET /api/v1/events', { query }, { isEnabled: mayReadAll })
  const view = useTail(filter, earlier.data?.events)
  const rows = view.shown
  const isWaiting = mayReadAll && earlier.data === undefined && earlier.error === null
  const isFiltered = name !== '' || person !== ''
  return (
    <Card title={texts.title} aside={<TailState view={view} />} inset="flush">
      {earlier.error !== null && <FailureNote error={earlier.error} onRetry={() => void earlier.refetch()} />}
      {isWaiting && (
        <div className={styles.pad}>
          <Lines count={8} />
        </div>
      )}
      {!isWaiting && rows.length === 0 && (isFiltered || !mayReadAll) && (
        <p className={`${styles.pad} quiet small`}>{isFiltered ? texts.none : texts.waiting}</p>
      )}
      {!isWaiting && rows.length === 0 && !isFiltered && mayReadAll && <FirstEvent />}
      <ol className={lines['list']} aria-label={texts.title}>
        {rows.map((row) => (
          <EventLine key={row.id} row={row} />
        ))}
      </ol>
    </Card>
  )
}

function TailState({ view }: { readonly view: TailView }) {
  const { tail: texts } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  const { state, isPaused, unseen, skipped, pause } = view
  return (
    <span className={styles.end}>
      <span aria-live="polite">
        {skipped !== 0 && <>{texts.skipped(skipped === null ? texts.many : format.count(skipped))} </>}
        {isPaused && unseen > 0 && <>{texts.unseen(format.count(unseen))} </>}
        {isPaused ? (
          <Pill>{texts.paused}</Pill>
        ) : (
          <Pill tone={state === 'live' ? 'live' : 'plain'}>{texts[state]}</Pill>
        )}
      </span>
      <Button size="compact-sm" onClick={() => pause(!isPaused)}>
        {isPaused ? texts.resume : texts.pause}
      </Button>
    </span>
  )
}
