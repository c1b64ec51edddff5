import { encodeJson } from '../../client/json.ts'
import { AsOf } from '../kit/as-of.tsx'
import type { ReplyOf } from '../kit/call.ts'
import { Card } from '../kit/card.tsx'
import { useFormat } from '../kit/number.tsx'
import { useTexts } from '../kit/texts.tsx'
import { partName } from './parts.ts'
import styles from './retention.module.css'
import { type ShareLine, ShareTable } from './share-table.tsx'
import { EVENTS_TEXTS } from './texts.ts'
import { valueText } from './value-text.ts'

type RetentionReply = ReplyOf<'GET /api/v1/events/retention'>
type Counted = Pick<NonNullable<RetentionReply['groups']>[number], 'users' | 'started' | 'returned'>

type GroupsProps = {
  readonly reply: RetentionReply
  readonly parts: readonly string[]
  readonly readAt: number
}

/** The retention of each group, over all cohorts: the share of those for whom a period has begun. */
export function RetentionGroups({ reply, parts, readAt }: GroupsProps) {
  const { explore, retention: texts, trend } = useTexts(EVENTS_TEXTS)
  const format = useFormat()
  const { groups = [], rest = null } = reply
  const lines = [
    ...groups.map((group) => ({
      ...lineOf(group),
      key: encodeJson(group.by),
      name: group.by.map((value) => valueText(value, trend.without)).join(' / '),
    })),
    ...(rest === null
      ? []
      : [{ ...lineOf(rest), key: 'rest', name: explore.others(format.count(rest.groups)) }]),
  ]
  return (
    <Card title={explore.groups} aside={<AsOf at={readAt} />} inset="flush">
      <p className={`${styles.note} quiet small`}>{texts.groups}</p>
      <ShareTable
        label={explore.groups}
        first={parts.map((part) => partName(part, explore.event)).join(' / ')}
        lines={lines}
      />
    </Card>
  )
}

function lineOf({ users, started, returned }: Counted): Pick<ShareLine, 'users' | 'periods'> {
  const periods = returned.map((count, period) =>
    count === null ? null : { count, users: started[period] ?? 0 },
  )
  return { users, periods }
}
