import type { Subscription } from '../../client/api/common.ts'
import { Link, useSearchWords } from '../kit/address.tsx'
import { AsOf } from '../kit/as-of.tsx'
import { Card } from '../kit/card.tsx'
import { CopyCurl } from '../kit/copy-curl.tsx'
import { FailureNote } from '../kit/failure-note.tsx'
import { useInSight } from '../kit/in-sight.ts'
import { useRows } from '../kit/rows.ts'
import { useTexts } from '../kit/texts.tsx'
import { VirtualTable } from '../kit/virtual-table.tsx'
import { deviceText, Person } from '../segments/members.tsx'
import { AUDIENCE_LISTS, type AudienceListName } from './audience-address.ts'
import styles from './page.module.css'
import { COMPOSE_TEXTS } from './texts.ts'

const LIST = 'GET /api/v1/campaigns/{campaign_id}/audience'
/** The words of the address, and what each asks for. */
const ASKED = {
  people: { per: 'person' },
  devices: { per: 'device' },
  opted_out: { left_out: 'opted_out' },
  over_cap: { left_out: 'over_cap' },
} as const satisfies Record<AudienceListName, object>
const PAGE_ROWS = 100

/** The people or the devices behind a number, if the address asks for them. */
export function AudienceList({ campaignId }: { readonly campaignId: string }) {
  const [words] = useSearchWords()
  const shown = AUDIENCE_LISTS.find((name) => name === words['show'])
  return shown === undefined ? null : <Rows key={shown} campaignId={campaignId} shown={shown} />
}

type RowsProps = { readonly campaignId: string; readonly shown: AudienceListName }

function Rows({ campaignId, shown }: RowsProps) {
  const { audience: texts } = useTexts(COMPOSE_TEXTS)
  const input = { path: { campaign_id: campaignId }, query: { limit: PAGE_ROWS, ...ASKED[shown] } }
  const list = useRows(LIST, input, { rowsOf: ({ subscriptions }) => subscriptions })
  useInSight('audience', list.count !== undefined)
  return (
    <div id="audience" className={styles.audience}>
      <Card
        title={texts.titles[shown]}
        aside={
          <>
            <AsOf at={list.readAt} /> <CopyCurl endpoint={LIST} input={input} />{' '}
            <Link to={`/compose/${campaignId}`}>{texts.close}</Link>
          </>
        }
        inset="flush"
      >
        {list.error !== null && <FailureNote error={list.error} onRetry={list.retry} />}
        <VirtualTable
          label={texts.titles[shown]}
          columns={[
            { name: texts.person, cell: (device: Subscription) => <Person device={device} /> },
            { name: texts.device, cell: (device: Subscription) => deviceText(device) },
          ]}
          list={list}
          empty={<p className="small quiet">{texts.nobody}</p>}
        />
      </Card>
    </div>
  )
}
