import { Button, FileButton, Progress } from '@mantine/core'
import { useState } from 'react'
import type { SegmentFilter } from '../../client/api/documents.ts'
import type { Segment } from '../../client/api/segments.ts'
import { call } from '../kit/call.ts'
import { Card } from '../kit/card.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMay } from '../kit/member.ts'
import { useFormat } from '../kit/number.tsx'
import { refresh } from '../kit/queries.ts'
import { useTexts } from '../kit/texts.tsx'
import { type ListProgress, type ListReport, uploadList } from '../kit/upload.ts'
import styles from './segment.module.css'
import { SEGMENT_TEXTS } from './texts.ts'

type ImportProps = {
  readonly segment: Segment
  readonly isChanged: boolean
  /** An import adds the tag of the list to the filter. */
  readonly onFilter: (filter: SegmentFilter) => void
}

/** Takes people into the segment because a list says so. */
export function ImportList({ segment, isChanged, onFilter }: ImportProps) {
  const { list } = useTexts(SEGMENT_TEXTS)
  const [progress, setProgress] = useState<ListProgress | null>(null)
  const [report, setReport] = useState<ListReport | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const path = { segment_id: String(segment.segment_id) }
  const send = async (file: File): Promise<void> => {
    setError(null)
    setReport(null)
    setProgress({ sent: 0, counts: null })
    try {
      setReport(await uploadList(`/api/v1/segments/${path.segment_id}/import`, file, setProgress))
      const { segment: changed } = await call('GET /api/v1/segments/{segment_id}', { path })
      onFilter(changed.filter)
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)))
    }
    setProgress(null)
    await refresh('GET /api/v1/segments', 'GET /api/v1/segments/{segment_id}')
  }
  if (!useMay('segments')) return null
  return (
    <Card title={list.title}>
      <p className="small quiet">{isChanged ? list.saveFirst : list.text}</p>
      <div className={styles.upload} aria-live="polite">
        <FileButton accept="text/csv,.csv" onChange={(file) => void (file === null || send(file))}>
          {(props) => (
            <Button {...props} disabled={isChanged || progress !== null}>
              {list.choose}
            </Button>
          )}
        </FileButton>
        {progress !== null && <Going progress={progress} />}
        {report !== null && <Report report={report} />}
        {error !== null && <FailureNote error={error} />}
      </div>
    </Card>
  )
}

function Going({ progress }: { readonly progress: ListProgress }) {
  const { list } = useTexts(SEGMENT_TEXTS)
  const format = useFormat()
  const { sent, counts } = progress
  return (
    <>
      <Progress w="100%" value={sent * 100} aria-label={list.title} />
      <p className="small">
        {list.sending(format.share(sent))}
        {counts !== null && ` · ${list.rows(format.count(counts.rows))}`}
      </p>
    </>
  )
}

const REFUSALS_SHOWN = 20

function Report({ report }: { readonly report: ListReport }) {
  const { list } = useTexts(SEGMENT_TEXTS)
  const format = useFormat()
  const { imported, updated, refused, refusals } = report
  return (
    <div className="small">
      <p>{list.done(format.count(imported), format.count(updated))}</p>
      {refused > 0 && <p>{list.refused(format.count(refused))}</p>}
      <ul className={styles.refusals}>
        {refusals.slice(0, REFUSALS_SHOWN).map(({ line, message }) => (
          <li key={line}>
            {list.line(line)}: {message}
          </li>
        ))}
      </ul>
    </div>
  )
}
