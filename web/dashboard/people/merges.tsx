import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { Card } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMay } from '../kit/member.ts'
import { useRead, useWrite } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import styles from './merges.module.css'
import type { IdentityKind } from './person.ts'
import { PEOPLE_TEXTS } from './texts.ts'

const TIMELINE = 'GET /api/v1/users/{user_id}/timeline'
const UNMERGE = 'POST /api/v1/user/unmerge'
const LINES_READ = 100

type StandingMerge = { readonly mergeId: number; readonly ids: string; readonly at: string }

/** The people who became this one, and the way back. Absent for a person who was never merged. */
export function Merges({ id, by }: { readonly id: string; readonly by: IdentityKind }) {
  const { merges: texts } = useTexts(PEOPLE_TEXTS)
  const mayChange = useMay('profiles')
  const [undoing, setUndoing] = useState<StandingMerge | null>(null)
  const standing = useStanding(id, by)
  if (standing.length === 0) return null
  return (
    <Card title={texts.title}>
      <ul className={styles.merges}>
        {standing.map((merge) => (
          <li key={merge.mergeId}>
            <b>{merge.ids}</b>
            <span className="quiet">
              <Time at={merge.at} how="ago" />
            </span>
            {mayChange && (
              <Button
                size="compact-sm"
                aria-label={texts.undoLabel(merge.ids)}
                onClick={() => setUndoing(merge)}
              >
                {texts.undo}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <p className={`small quiet ${styles.hint}`}>{texts.hint}</p>
      {undoing !== null && <UndoDialog merge={undoing} onClose={() => setUndoing(null)} />}
    </Card>
  )
}

/** The merges that were not undone, the newest first. */
function useStanding(id: string, by: IdentityKind): readonly StandingMerge[] {
  const { line } = useTexts(PEOPLE_TEXTS)
  const query = { by, kinds: 'merge', limit: LINES_READ }
  const { data } = useRead(TIMELINE, { path: { user_id: id }, query })
  const lines = (data?.timeline ?? []).flatMap(({ at, merge }) =>
    merge === undefined ? [] : [{ at, merge }],
  )
  const undone = new Set(lines.flatMap(({ merge }) => (merge.did === 'unmerged' ? [merge.merge_id] : [])))
  return lines
    .filter(({ merge }) => merge.did === 'merged' && !undone.has(merge.merge_id))
    .map(({ at, merge }) => ({
      at,
      mergeId: merge.merge_id,
      ids: merge.user_ids.length === 0 ? line.someone : merge.user_ids.join(', '),
    }))
}

type UndoDialogProps = { readonly merge: StandingMerge; readonly onClose: () => void }

/** A merge that is undone can only come back by a call that names both people, so the dialog says first what it does. */
function UndoDialog({ merge, onClose }: UndoDialogProps) {
  const { merges: texts } = useTexts(PEOPLE_TEXTS)
  const { mergeId, ids } = merge
  const write = useWrite(UNMERGE, {
    refreshes: [TIMELINE, 'GET /api/v1/users', 'GET /api/v1/subscriptions', 'GET /api/v1/user/preferences'],
    onDone: () => {
      notifications.show({ message: texts.done(ids) })
      onClose()
    },
  })
  const input = { body: { merge_id: mergeId } }
  return (
    <Dialog opened onClose={onClose} title={texts.dialog(ids)}>
      <ul className={styles.means}>
        <li>{texts.goesBack(ids)}</li>
        <li>{texts.stays}</li>
        <li>{texts.again}</li>
      </ul>
      {write.error !== null && <FailureNote error={write.error} />}
      <Group mt={16} justify="flex-end">
        <CopyCurl endpoint={UNMERGE} input={input} />
        <Button onClick={onClose}>{texts.cancel}</Button>
        <Button variant="filled" loading={write.isPending} onClick={() => write.mutate(input)}>
          {texts.go}
        </Button>
      </Group>
    </Dialog>
  )
}
