import { Button } from '@mantine/core'
import { addressOf } from '../kit/address.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Count } from '../kit/number.tsx'
import { useRead } from '../kit/queries.ts'
import { Lines } from '../kit/skeleton.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { type Difference, differencesOf } from './differences.ts'
import { type Draft, draftOf, isKind } from './draft.ts'
import { useNames } from './field-props.ts'
import styles from './panel.module.css'
import { PANEL_TEXTS } from './panel-texts.ts'
import { JOURNEY_TEXTS } from './texts.ts'
import type { Editor } from './use-editor.ts'

/** Every version with what it changed, the newest first. */
export function VersionsPanel({
  journeyId,
  editor,
}: {
  readonly journeyId: string
  readonly editor: Editor
}) {
  const { versions: texts } = useTexts(PANEL_TEXTS)
  const path = { journey_id: journeyId }
  const peopleOf = (version: number): string =>
    addressOf(`/journeys/${journeyId}`, { view: 'people', version: String(version) })
  const read = useRead('GET /api/v1/journeys/{journey_id}/versions', { path, query: { limit: 50 } })
  if (read.error !== null) return <FailureNote error={read.error} onRetry={() => void read.refetch()} />
  if (read.data === undefined) return <Lines count={4} />
  const rows = read.data.versions.map((row) => ({ row, draft: draftOf(row) }))
  const newest = rows[0]?.draft
  return (
    <div className={`${styles.form} ${styles.versions}`}>
      {editor.isDirty && newest !== undefined && (
        <section className={styles.version} aria-label={texts.draft}>
          <h2>{texts.draft}</h2>
          <Differences before={newest} after={editor.draft} />
        </section>
      )}
      {rows.map(({ row, draft }, index) => (
        <section key={row.version} className={styles.version} aria-label={texts.version(row.version)}>
          <div className={styles.versionHead}>
            <h2>{texts.version(row.version)}</h2>
            <span className="faint">
              <Time at={row.created_at} /> · <Count value={row.inside} to={peopleOf(row.version)} />{' '}
              {texts.inside}
            </span>
          </div>
          {rows[index + 1] === undefined ? (
            <p className="quiet small">{texts.oldest}</p>
          ) : (
            <Differences before={rows[index + 1]?.draft ?? draft} after={draft} />
          )}
          {index > 0 && editor.mayEdit && (
            <Button
              size="compact-xs"
              style={{ justifySelf: 'start' }}
              onClick={() => editor.change({ ...draft, name: editor.draft.name })}
            >
              {texts.take}
            </Button>
          )}
        </section>
      ))}
    </div>
  )
}

function Differences({ before, after }: { readonly before: Draft; readonly after: Draft }) {
  const { versions: texts } = useTexts(PANEL_TEXTS)
  const say = useDifference()
  const found = differencesOf(before, after)
  if (found.length === 0) return <p className="quiet small">{texts.same}</p>
  return (
    <ul>
      {found.map((one) => (
        <li key={`${one.step ?? ''} ${one.field} ${one.change}`}>{say(one)}</li>
      ))}
    </ul>
  )
}

/** A difference in words: "wait · minutes: 10 → 15". */
function useDifference(): (difference: Difference) => string {
  const { versions: texts } = useTexts(PANEL_TEXTS)
  const { kinds } = useTexts(JOURNEY_TEXTS)
  const { label, word } = useNames()
  return ({ step, field, change, before, after }) => {
    if (change === 'added') return texts.added(step ?? '', isKind(after) ? kinds[after] : after)
    if (change === 'removed') return texts.removed(step ?? '', isKind(before) ? kinds[before] : before)
    if (change === 'first') return texts.first(before || texts.nothing, after || texts.nothing)
    const parts = field.split('.').map((part) => (isKind(part) ? '' : label(word(part))))
    const name = [step ?? '', ...parts].filter((part) => part !== '').join(' · ')
    return texts.changed(name, word(before) || texts.nothing, word(after) || texts.nothing)
  }
}
