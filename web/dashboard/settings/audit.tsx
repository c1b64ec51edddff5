import { encodeJson } from '../../client/json.ts'
import type { ReplyOf } from '../kit/call.ts'
import { Card } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useRows } from '../kit/rows.ts'
import type { Column } from '../kit/table.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { VirtualTable } from '../kit/virtual-table.tsx'
import styles from './page.module.css'
import { SETTINGS_TEXTS } from './texts.ts'

type Line = ReplyOf<'GET /api/v1/audit'>['audit'][number]

/** Who changed what, when and from where. Nobody can change a line. */
export function AuditSection() {
  const { audit: texts } = useTexts(SETTINGS_TEXTS)
  const query = { limit: 100 }
  const list = useRows('GET /api/v1/audit', { query }, { rowsOf: ({ audit }) => audit })
  const columns: readonly Column<Line>[] = [
    { name: texts.when, cell: ({ at }) => <Time at={at} /> },
    { name: texts.who, cell: ({ actor }) => <code>{actor}</code> },
    {
      name: texts.what,
      cell: ({ action, subject_type: type, subject_id: id }) => (
        <>
          {action} <b>{type}</b> <span className="quiet">{id}</span>
        </>
      ),
    },
    { name: texts.change, cell: (line) => <span className="quiet">{changeOf(line)}</span> },
    { name: texts.from, cell: ({ network }) => network ?? '' },
  ]
  return (
    <Card
      title={texts.title}
      aside={<CopyCurl endpoint="GET /api/v1/audit" input={{ query }} />}
      inset="flush"
    >
      {list.error !== null && <FailureNote error={list.error} onRetry={list.retry} />}
      <VirtualTable
        label={texts.title}
        columns={columns}
        list={list}
        empty={<p className={styles.pad}>{texts.empty}</p>}
      />
    </Card>
  )
}

/** The fields that differ, as `name: before → after`. */
function changeOf({ before, after }: Line): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return names
    .map((name) => ({ name, from: shown(before?.[name]), to: shown(after?.[name]) }))
    .filter(({ from, to }) => from !== to)
    .slice(0, FIELDS_SHOWN)
    .map(({ name, from, to }) => `${name}: ${from} → ${to}`)
    .join(', ')
}

const FIELDS_SHOWN = 4

function shown(value: unknown): string {
  if (value === undefined || value === null) return '–'
  return typeof value === 'string' ? value : encodeJson(value)
}
