import { Select } from '@mantine/core'
import { Link, useSearchWords } from '../kit/address.tsx'
import type { ReplyOf } from '../kit/call.ts'
import { Card } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useMay } from '../kit/member.ts'
import { useRead } from '../kit/queries.ts'
import { useRows } from '../kit/rows.ts'
import type { Column } from '../kit/table.tsx'
import { useTexts } from '../kit/texts.tsx'
import { Time } from '../kit/time.tsx'
import { VirtualTable } from '../kit/virtual-table.tsx'
import { Change } from './audit-change.tsx'
import { AUDIT_TEXTS } from './audit-texts.ts'
import styles from './page.module.css'

type Line = ReplyOf<'GET /api/v1/audit'>['audit'][number]

/** The audit log: who changed what, when and from where. Nobody can change a line. */
export function AuditSection() {
  const texts = useTexts(AUDIT_TEXTS)
  const [words] = useSearchWords()
  const { action = '', subject = '' } = words
  const query = {
    limit: 100,
    ...(action === '' ? {} : { action }),
    ...(subject === '' ? {} : { subject_type: subject }),
  }
  const list = useRows('GET /api/v1/audit', { query }, { rowsOf: ({ audit }) => audit })
  const columns = useColumns()
  return (
    <Card
      title={texts.title}
      aside={<CopyCurl endpoint="GET /api/v1/audit" input={{ query }} />}
      inset="flush"
    >
      <Filters />
      {list.error !== null && <FailureNote error={list.error} onRetry={list.retry} />}
      <div className={styles.wide}>
        <VirtualTable
          label={texts.title}
          columns={columns}
          list={list}
          empty={<p className={styles.pad}>{texts.empty}</p>}
        />
      </div>
    </Card>
  )
}

function useColumns(): readonly Column<Line>[] {
  const texts = useTexts(AUDIT_TEXTS)
  const nameOf = useActorNames()
  const actions: Readonly<Record<string, string>> = texts.actions
  return [
    {
      name: texts.when,
      cell: ({ at }) => (
        <span className={styles.fixed}>
          <Time at={at} />
        </span>
      ),
    },
    { name: texts.who, cell: ({ actor }) => <span title={actor}>{nameOf(actor)}</span> },
    {
      name: texts.what,
      cell: (line) => (
        <>
          <Subject line={line} /> <span className="quiet">{actions[line.action] ?? line.action}</span>
        </>
      ),
    },
    { name: texts.change, cell: ({ before, after }) => <Change before={before} after={after} /> },
    { name: texts.from, cell: ({ network }) => <span className={styles.fixed}>{network ?? ''}</span> },
  ]
}

/** The name of whoever did it, as far as the reader may see the members and the keys. */
function useActorNames(): (actor: string) => string {
  const texts = useTexts(AUDIT_TEXTS)
  const query = { limit: 200 }
  const members = useRead('GET /api/v1/team/members', { query }, { isEnabled: useMay('members') })
  const keys = useRead('GET /api/v1/brand/keys', { query }, { isEnabled: useMay('brand:read', 'keys') })
  return (actor) => {
    const [type = '', id = ''] = actor.split(':')
    if (type === 'cli' || type === 'system') return texts.actors[type]
    if (type === 'key') {
      const label = keys.data?.keys.find((key) => String(key.id) === id)?.label ?? ''
      return label === '' ? texts.key(id) : label
    }
    const member = members.data?.members.find((one) => one.id === id)
    if (member === undefined) return actor
    return member.name === '' ? member.email : member.name
  }
}

/** The pages of things that have one. */
const PAGES: Readonly<Record<string, string>> = {
  segment: '/segments/',
  journey: '/journeys/',
  campaign: '/messages/campaign/',
}

function Subject({ line: { subject_type: type, subject_id: id } }: { readonly line: Line }) {
  const texts = useTexts(AUDIT_TEXTS)
  const nouns: Readonly<Record<string, string>> = texts.subjects
  const page = PAGES[type]
  const isNumber = /^\d/.test(id) && id.length < LONG_CHARS
  const noun = <b>{nouns[type] ?? type}</b>
  if (page !== undefined) {
    return (
      <Link to={`${page}${id}`}>
        {noun} {id}
      </Link>
    )
  }
  // A long id says nothing to a person, so it is only there to look at.
  return (
    <span title={id}>
      {noun} {isNumber ? id : ''}
    </span>
  )
}

const LONG_CHARS = 12

function Filters() {
  const texts = useTexts(AUDIT_TEXTS)
  const [words, change] = useSearchWords()
  return (
    <div className={`${styles.row} ${styles.pad}`}>
      <Select
        aria-label={texts.subject}
        placeholder={texts.anySubject}
        clearable
        searchable
        data={choicesOf(texts.subjects)}
        value={words['subject'] ?? null}
        onChange={(subject) => change({ subject: subject ?? '' })}
      />
      <Select
        aria-label={texts.action}
        placeholder={texts.anyAction}
        clearable
        data={choicesOf(texts.actions)}
        value={words['action'] ?? null}
        onChange={(action) => change({ action: action ?? '' })}
      />
    </div>
  )
}

function choicesOf(names: Readonly<Record<string, string>>) {
  return Object.entries(names).map(([value, label]) => ({ value, label }))
}
