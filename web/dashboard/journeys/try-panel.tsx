import { Button, NumberInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ReplyOf } from '../kit/call.ts'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useJourneyWords } from '../kit/journey-words.ts'
import { useWrite } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import type { Lit } from './lit.ts'
import { litBy } from './lit.ts'
import styles from './panel.module.css'
import { PANEL_TEXTS } from './panel-texts.ts'

type DryRun = ReplyOf<'POST /api/v1/journeys/{journey_id}/dry_run'>['dry_run']

type TryPanelProps = {
  readonly journeyId: string
  readonly isDirty: boolean
  readonly onLit: (lit: Lit | null) => void
}

/** A dry run: what would happen to a person, when and why. The way is lit up on the canvas. */
export function TryPanel({ journeyId, isDirty, onLit }: TryPanelProps) {
  const { try: texts } = useTexts(PANEL_TEXTS)
  const [user, setUser] = useState('')
  const [event, setEvent] = useState('')
  const [minutes, setMinutes] = useState(5)
  const run = useWrite('POST /api/v1/journeys/{journey_id}/dry_run', {
    onDone: ({ dry_run: done }) => onLit(litBy(done.path)),
  })
  const events = event.trim() === '' ? [] : [{ event_name: event.trim(), after: minutes * SECONDS }]
  const input = { path: { journey_id: journeyId }, body: { user_id: user.trim(), events } }
  return (
    <form
      className={styles.form}
      onSubmit={(submitted) => {
        submitted.preventDefault()
        run.mutate(input)
      }}
    >
      <p className="quiet small">{texts.text}</p>
      {isDirty && <p className="quiet small">{texts.stale}</p>}
      <TextInput
        label={texts.person}
        required
        value={user}
        onChange={({ currentTarget }) => setUser(currentTarget.value)}
      />
      <div className={styles.way}>
        <TextInput
          label={texts.event}
          list="known-events"
          value={event}
          onChange={({ currentTarget }) => setEvent(currentTarget.value)}
        />
        <NumberInput
          label={texts.after}
          hideControls
          min={0}
          w={110}
          value={minutes}
          onChange={(typed) => setMinutes(Number(typed))}
        />
      </div>
      <Button type="submit" variant="filled" loading={run.isPending} disabled={user.trim() === ''}>
        {texts.go}
      </Button>
      <CopyCurl endpoint="POST /api/v1/journeys/{journey_id}/dry_run" input={input} />
      {run.error !== null && <FailureNote error={run.error} />}
      <div aria-live="polite">{run.data !== undefined && <Outcome run={run.data.dry_run} />}</div>
    </form>
  )
}

const SECONDS = 60

function Outcome({ run: { entry, path, ends, is_cut: isCut } }: { readonly run: DryRun }) {
  const { try: texts, people } = useTexts(PANEL_TEXTS)
  const say = useJourneyWords()
  return (
    <section className={styles.fields} aria-label={texts.entries[entry]}>
      <h2>{texts.entries[entry]}</h2>
      <ol className={styles.path}>
        {path.map(({ at, step, code, message, is_certain: isCertain, sends }, index) => (
          <li key={`${at} ${index}`}>
            <b>{step ?? people.entered}</b>
            <Time at={at} />
            <span className={styles.words}>
              {say({ code, message })} {!isCertain && <em>({texts.uncertain})</em>}
            </span>
            {sends?.map(({ platform, title, message: body }) => (
              <span key={platform} className={styles.message}>
                <b>{title}</b> · {platform}
                <br />
                {body}
              </span>
            ))}
          </li>
        ))}
      </ol>
      <p className="small">
        <b>{ends === null ? texts.open : texts.ends[ends]}</b>
      </p>
      {isCut && <p className="quiet small">{texts.goesOn}</p>}
    </section>
  )
}
