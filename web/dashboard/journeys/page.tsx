import { Button, SegmentedControl } from '@mantine/core'
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs'
import { addressOf, Link, useGo, useSearchWords } from '../kit/address.tsx'
import type { ReplyOf } from '../kit/call.ts'
import { Card, Stack } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { Empty } from '../kit/empty.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { Icon } from '../kit/icon.tsx'
import { KIT_TEXTS } from '../kit/kit-texts.ts'
import { useMay } from '../kit/member.ts'
import { Count, useFormat } from '../kit/number.tsx'
import { Page } from '../kit/page.tsx'
import { type RowList, useRows } from '../kit/rows.ts'
import type { Column } from '../kit/table.tsx'
import { useTexts } from '../kit/texts.tsx'
import { VirtualTable } from '../kit/virtual-table.tsx'
import { totalsOf, useLiveCounts } from './counts.ts'
import { draftOf } from './draft.ts'
import { useVoice } from './drawing.ts'
import styles from './page.module.css'
import { sayTrigger } from './say.ts'
import { StatePill } from './state-pill.tsx'
import { JOURNEY_TEXTS } from './texts.ts'

/** Every journey with its state and numbers, and drawings to begin with. */
export function JourneysPage() {
  const texts = useTexts(JOURNEY_TEXTS)
  const kit = useTexts(KIT_TEXTS)
  const go = useGo()
  const [words, change] = useSearchWords()
  const isArchived = words['show'] === 'archived'
  const query = isArchived ? { archived: true, limit: 50 } : { limit: 50 }
  const list = useRows('GET /api/v1/journeys', { query }, { rowsOf: ({ journeys }) => journeys })
  const mayDraw = useMay('journeys', 'draft')
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <CopyCurl endpoint="GET /api/v1/journeys" input={{ query }} />
          {mayDraw && (
            <Button variant="filled" leftSection={<Icon of={IconPlus} />} onClick={() => go('/journeys/new')}>
              {texts.create}
            </Button>
          )}
        </>
      }
    >
      <Stack>
        {list.error !== null && <FailureNote error={list.error} onRetry={list.retry} />}
        <div className={styles.tools}>
          <SegmentedControl
            className={styles.show}
            aria-label={texts.show}
            value={isArchived ? 'archived' : 'current'}
            onChange={(show) => change({ show: show === 'archived' ? show : undefined })}
            data={[
              { value: 'current', label: texts.shown.current },
              { value: 'archived', label: texts.shown.archived },
            ]}
          />
          <span className="small quiet">{kit.live}</span>
        </div>
        <Card inset="flush">
          <JourneyTable list={list} isArchived={isArchived} />
        </Card>
        {mayDraw && !isArchived && <Templates />}
      </Stack>
    </Page>
  )
}

type JourneyLine = ReplyOf<'GET /api/v1/journeys'>['journeys'][number]
type JourneyTableProps = { readonly list: RowList<JourneyLine>; readonly isArchived: boolean }

function JourneyTable({ list, isArchived }: JourneyTableProps) {
  const texts = useTexts(JOURNEY_TEXTS)
  const { columns: names } = texts
  const columns: readonly Column<JourneyLine>[] = [
    { name: names.name, cell: (row) => <Name row={row} /> },
    { name: names.state, cell: (row) => <StatePill journey={row} /> },
    { name: names.inside, kind: 'number', cell: (row) => <Number of={row} what="inside" /> },
    { name: names.entered, kind: 'number', cell: (row) => <Number of={row} what="entered" /> },
    { name: names.goal, kind: 'number', cell: (row) => <Number of={row} what="goal" /> },
  ]
  const empty = isArchived ? (
    <Empty title={texts.noneArchived} text={texts.noneArchivedText} />
  ) : (
    <Empty title={texts.emptyTitle} text={texts.emptyText} />
  )
  return <VirtualTable label={texts.title} columns={columns} list={list} empty={empty} />
}

function Name({ row }: { readonly row: JourneyLine }) {
  const voice = useVoice()
  const trigger = draftOf(row).trigger
  return (
    <>
      <Link className={styles.name} to={`/journeys/${String(row.journey_id)}`}>
        {row.name}
      </Link>{' '}
      <span className="faint">{sayTrigger(trigger, voice)}</span>
    </>
  )
}

/** One of the numbers of a row, which the live stream keeps fresh. */
function Number({ of, what }: { readonly of: JourneyLine; readonly what: 'inside' | 'entered' | 'goal' }) {
  const format = useFormat()
  const id = String(of.journey_id)
  const told = useLiveCounts(id)
  const totals = told === undefined ? of.counts : totalsOf(told)
  const peopleOf = (who: string | undefined): string => addressOf(`/journeys/${id}`, { view: 'people', who })
  if (what === 'goal') {
    const hasGoal = of.goal !== undefined && of.goal !== null && totals.entered > 0
    if (!hasGoal) return <>–</>
    return <Link to={peopleOf('goal')}>{format.share(totals.goal / totals.entered)}</Link>
  }
  return <Count value={totals[what]} to={peopleOf(what === 'entered' ? 'all' : undefined)} />
}

const TEMPLATES = ['otp', 'welcome', 'cart', 'win_back'] as const

function Templates() {
  const texts = useTexts(JOURNEY_TEXTS)
  return (
    <section aria-label={texts.begin}>
      <h2 className={styles.begin}>{texts.begin}</h2>
      <ul className={styles.templates}>
        {TEMPLATES.map((name) => (
          <li key={name}>
            <Link className={styles.template} to={addressOf('/journeys/new', { template: name })}>
              <b>{texts.templates[name].name}</b>
              <span>{texts.templates[name].text}</span>
            </Link>
          </li>
        ))}
        <li>
          <Link className={styles.template} to="/journeys/new">
            <b>{texts.templates.blank.name}</b>
            <span>{texts.templates.blank.text}</span>
          </Link>
        </li>
      </ul>
    </section>
  )
}
