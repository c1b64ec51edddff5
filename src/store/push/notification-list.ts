import type { Platform } from '../../rules/platforms.ts'
import {
  type NotificationSource,
  type NotificationState,
  type PushMode,
  TEXT_SEARCH_ROWS_MAX,
} from '../../rules/push.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { containsSql } from '../folded-text.ts'
import { type RowPage, readPage } from '../page.ts'
import { firstNotificationIdAt, NOTIFICATION_COLUMNS, type NotificationReport } from './notification-reads.ts'

/** A filter that is null leaves nothing out. */
export type NotificationFilter = {
  readonly state: NotificationState | null
  readonly platform: Platform | null
  /** Only notifications from these sources. */
  readonly sources: readonly NotificationSource[] | null
  readonly mode: PushMode | null
  readonly segmentId: bigint | null
  readonly campaignId: bigint | null
  readonly journeyId: bigint | null
  /** A part of the title or of the message, in any letter case. */
  readonly text: string | null
  /** By the time of acceptance. */
  readonly from: number | null
  readonly to: number | null
}

export type NotificationList = NotificationFilter & {
  readonly brandId: number
  readonly beforeId: string | null
  readonly limit: number
}

/**
 * A page of notifications, newest first. An id begins with its time of acceptance, so both the order and the bounds of
 * time are those of ids. A search for a text looks at a bounded number of rows, because each has to be read.
 */
export async function listNotifications(
  db: Db,
  list: NotificationList,
): Promise<RowPage<NotificationReport>> {
  const binds = new Binds()
  const where = conditionsOf(list, binds).join(' and ')
  const limit = binds.add(list.limit)
  const from =
    list.text === null ? `notifications where ${where}` : searchSql({ where, text: list.text }, binds)
  return readPage(db, {
    text: `select ${NOTIFICATION_COLUMNS} from ${from} order by id desc limit ${limit}`,
    values: binds.values,
    limit: list.limit,
    kind: 'rows',
  })
}

/** A condition is left out where it asks for nothing, so that the planner finds the index of the others. */
function conditionsOf(list: NotificationList, binds: Binds): readonly string[] {
  const equal = [
    ['state', list.state],
    ['platform', list.platform],
    ['mode', list.mode],
    ['segment_id', list.segmentId],
    ['campaign_id', list.campaignId],
    ['journey_id', list.journeyId],
  ] as const
  return [
    `brand_id = ${binds.add(list.brandId)}`,
    `id >= ${binds.add(firstNotificationIdAt(list.from ?? 0))}`,
    `id < ${binds.add(list.to === null ? LAST_ID : firstNotificationIdAt(list.to))}`,
    ...(list.beforeId === null ? [] : [`id < ${binds.add(list.beforeId)}`]),
    ...equal.flatMap(([column, value]) => (value === null ? [] : [`${column} = ${binds.add(value)}`])),
    // Said once more as the condition of an index: a brand may have a million sends for each broadcast.
    ...(list.mode === 'all' || list.mode === 'segment' || list.segmentId !== null ? [`mode <> 'send'`] : []),
    ...(list.sources === null
      ? []
      : [`(${list.sources.map((source) => SOURCES[source]).join(' or ') || 'false'})`]),
  ]
}

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const SOURCES = {
  journey: 'journey_id is not null',
  campaign: '(campaign_id is not null and journey_id is null)',
  endpoint: '(campaign_id is null and journey_id is null)',
} as const satisfies Record<NotificationSource, string>

/** Among the newest rows, those with a text in the title or the message. */
function searchSql({ where, text }: { readonly where: string; readonly text: string }, binds: Binds): string {
  const part = binds.add(text)
  return `(select * from notifications where ${where} order by id desc limit ${TEXT_SEARCH_ROWS_MAX}) as notifications
    where (${containsSql(`content ->> 'title'`, part)} or ${containsSql(`content ->> 'body'`, part)})`
}
