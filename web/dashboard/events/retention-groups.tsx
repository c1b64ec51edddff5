import { encodeJson } from '../../client/json.ts'
import { AsOf } from '../kit/as-of.tsx'
import type { ReplyOf } from '../kit/call.ts'
import { Card } from '../kit/card.tsx'
import { useTexts } from '../kit/texts.tsx'
import { useGroupName } from './part-columns.tsx'
import { partName } from './parts.ts'
import styles from './retention.module.css'
import { type ShareLine, ShareTable } from './share-table.tsx'
import { EVENTS_TEXTS } from './texts.ts'

type RetentionReply = ReplyOf<'GET /api/v1/events/retention'>
type Counted = Pick<NonNullable<RetentionReply['groups']>[number], 'users' | 'started' | 'returned'>

type GroupsProps = {
  readonly reply: RetentionReply
  readonly parts: readonly string[]
  readonly readAt: number
}

/** The retention of each group, over all cohorts: the share of those for whom a period has begun. */
export function RetentionGroups({ reply, parts, readAt }: GroupsProps) {
  const { explore, retention: texts } = useTexts(EVENTS_TEXTS)
  const nameOf = useGroupName()
  const { groups = [], rest = null } = reply
  const lines = [
    ...groups.map((group) => ({
      ...lineOf(group),
      key: encodeJson(group.by),
      name: nameOf(group.by),
    })),
    ...(rest === null ? [] : [{ ...lineOf(rest), key: 'rest', name: nameOf(null, rest.groups) }]),
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
