import { Button, Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { Link, useSearchWords } from '../kit/address.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useJourneyWords } from '../kit/journey-words.ts'
import { useRead } from '../kit/queries.ts'
import { useRows } from '../kit/rows.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { TYPING_MS } from '../kit/typing.ts'
import { VirtualBox } from '../kit/virtual-list.tsx'
import type { Chosen } from './chosen.ts'
import styles from './panel.module.css'
import { PANEL_TEXTS } from './panel-texts.ts'

type PeoplePanelProps = { readonly journeyId: string; readonly chosen: Chosen }

const PAGE_ROWS = 50

/** The people of a journey: those inside, all who ever entered, or those who left in one way. */
const WHO = ['active', 'all', 'goal', 'completed', 'exited'] as const
type Who = (typeof WHO)[number]

function stateOf(state: string): Exclude<Who, 'all'> {
  return WHO.find((name): name is Exclude<Who, 'all'> => name === state && name !== 'all') ?? 'active'
}

/** The people inside, or at the chosen step; and the way of one of them. */
export function PeoplePanel({ journeyId, chosen }: PeoplePanelProps) {
  const { people: texts, versions } = useTexts(PANEL_TEXTS)
  const { step, person, choose } = chosen
  const [words, change] = useSearchWords()
  const who = WHO.find((name) => name === words['who']) ?? 'active'
  const version = Number(words['version'] ?? 0)
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), TYPING_MS)
  return (
    <div className={styles.form}>
      {person !== null && (
        <PersonPath journeyId={journeyId} person={person} onHide={() => choose({ person: null })} />
      )}
      <h2>{step === null ? texts.who[who] : texts.at(step)}</h2>
      {step === null && (
        <Select
          aria-label={texts.whoLabel}
          allowDeselect={false}
          value={who}
          data={WHO.map((value) => ({ value, label: texts.who[value] }))}
          onChange={(value) => change({ who: value === 'active' ? undefined : (value ?? undefined) })}
        />
      )}
      {version > 0 && (
        <Button className={styles.start} onClick={() => change({ version: undefined })}>
          {versions.version(version)} ✕
        </Button>
      )}
      <TextInput
        type="search"
        aria-label={texts.search}
        placeholder={texts.search}
        value={typed}
        maxLength={100}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <Inside {...{ journeyId, step, version, search, choose }} who={step === null ? who : 'active'} />
    </div>
  )
}

type InsideProps = Pick<PeoplePanelProps, 'journeyId'> &
  Pick<Chosen, 'step' | 'choose'> & {
    readonly search: string
    readonly who: Who
    /** The version that they entered on; 0 for all. */
    readonly version: number
  }

function Inside({ journeyId, step, version, search, choose, who }: InsideProps) {
  const { people: texts } = useTexts(PANEL_TEXTS)
  const query = {
    limit: PAGE_ROWS,
    ...(who === 'active' ? {} : { state: who }),
    ...(step === null ? {} : { step }),
    ...(version > 0 ? { version } : {}),
    ...(search === '' ? {} : { search }),
  }
  const list = useRows(
    'GET /api/v1/journeys/{journey_id}/people',
    { path: { journey_id: journeyId }, query },
    { rowsOf: ({ people }) => people },
  )
  if (list.error !== null) return <FailureNote error={list.error} onRetry={list.retry} />
  return (
    <VirtualBox
      label={step === null ? texts.who[who] : texts.at(step)}
      className={styles.people}
      list={list}
      empty={<p className="quiet small">{texts.nobody}</p>}
    >
      {({ user_id: user, state, step_at: since, entered_at: entered }) => (
        <>
          <span>
            {user === null ? texts.visitor : <Link to={`/people/${encodeURIComponent(user)}`}>{user}</Link>}{' '}
            <span className="faint">
              {who === 'all' ? texts.states[stateOf(state)] : texts.since}{' '}
              <Time at={who === 'all' ? entered : since} />
            </span>
          </span>
          {user !== null && (
            <Button
              size="compact-xs"
              aria-label={`${texts.path}: ${user}`}
              onClick={() => choose({ person: user })}
            >
              {texts.path}
            </Button>
          )}
        </>
      )}
    </VirtualBox>
  )
}

type PersonPathProps = { readonly journeyId: string; readonly person: string; readonly onHide: () => void }

/** The last time that a person was inside, note by note; the canvas lights the same way up. */
function PersonPath({ journeyId, person, onHide }: PersonPathProps) {
  const { people: texts } = useTexts(PANEL_TEXTS)
  const read = usePersonPath(journeyId, person)
  const last = read.data?.enrolments[0]
  return (
    <section className={styles.fields} aria-label={texts.pathOf(person)}>
      <h2>{texts.pathOf(person)}</h2>
      {read.error !== null && <FailureNote error={read.error} />}
      {read.isLoading && <Lines count={3} />}
      {read.data !== undefined && last === undefined && <p className="quiet small">{texts.never}</p>}
      {last !== undefined && <Notes path={last.path} />}
      <Button size="compact-sm" className={styles.start} onClick={onHide}>
        {texts.hide}
      </Button>
    </section>
  )
}

const PATH_MS = 5_000

export function usePersonPath(journeyId: string, person: string | null) {
  return useRead(
    'GET /api/v1/journeys/{journey_id}/people/{user_id}',
    { path: { journey_id: journeyId, user_id: person ?? '' } },
    { isEnabled: person !== null && journeyId !== '', everyMs: PATH_MS },
  )
}

type Note = {
  readonly at: string
  readonly step: string | null
  readonly code: string
  readonly message: string
}

function Notes({ path }: { readonly path: readonly Note[] }) {
  const { people: texts } = useTexts(PANEL_TEXTS)
  const say = useJourneyWords()
  return (
    <ol className={styles.path}>
      {path.map((note, index) => (
        <li key={`${note.at} ${index}`}>
          <b>{note.step ?? texts.entered}</b>
          <Time at={note.at} />
          <span className={styles.words}>{say(note)}</span>
        </li>
      ))}
    </ol>
  )
}
