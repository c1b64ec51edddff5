import type { EnrolmentState } from '../../rules/journey-steps.ts'
import { JOURNEY_LIMITS } from '../../rules/journeys.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { prefixSql } from '../folded-text.ts'
import { type RowPage, readPage } from '../page.ts'
import { matchesSql } from '../people/user-conditions.ts'
import { userIdSql } from '../people/user-id-sql.ts'
import type { JourneyRef } from './enrolments.ts'

/** A person in a journey, as a list shows them. */
export type JourneyInsider = {
  readonly id: bigint
  readonly userId: string | null
  readonly version: number
  readonly state: EnrolmentState
  readonly step: string | null
  readonly isWaiting: boolean
  readonly enteredAt: number
  /** Since when the person is at the step, or gone. */
  readonly stepAt: number
  readonly wakeAt: number | null
}

export type InsiderList = JourneyRef & {
  readonly state: EnrolmentState | 'all'
  readonly step: string | null
  /** The version on which they entered. */
  readonly version: number | null
  /** The beginning of an identifier, in any letter case. */
  readonly search: string | null
  readonly beforeId: bigint | null
  readonly limit: number
}

/** A page of the people in a journey, those who entered last first. */
export async function listInsiders(tx: Db, list: InsiderList): Promise<RowPage<JourneyInsider>> {
  const binds = new Binds()
  const brand = binds.add(list.brandId)
  const conditions = [
    `e.brand_id = ${brand}`,
    `e.journey_id = ${binds.add(list.journeyId)}`,
    ...stateSql(list.state, binds),
    ...(list.step === null ? [] : [`e.step = ${binds.add(list.step)}`]),
    ...(list.version === null ? [] : [`e.version = ${binds.add(list.version)}`]),
    ...(list.beforeId === null ? [] : [`e.id < ${binds.add(list.beforeId)}`]),
    ...(list.search === null
      ? []
      : [
          `e.profile_id = any(array(select profile_id from (${matchesSql(brand, prefixSql(list.search, binds))}) as found
            limit ${JOURNEY_LIMITS.searchedMax}))`,
        ]),
  ]
  return readPage(tx, {
    text: `select e.id, e.version, e.state, e.step, e.is_waiting as "isWaiting", e.entered_at as "enteredAt",
        e.step_at as "stepAt", e.wake_at as "wakeAt",
        (${userIdSql('e.brand_id', 'e.profile_id')}) as "userId"
      from enrolments as e where ${conditions.join(' and ')} order by e.id desc limit ${binds.add(list.limit)}`,
    values: binds.values,
    limit: list.limit,
    kind: 'rows',
  })
}

function stateSql(state: InsiderList['state'], binds: Binds): readonly string[] {
  if (state === 'all') return []
  // As a literal, so that the planner sees the condition of the index.
  return state === 'active' ? [`e.state = 'active'`] : [`e.state = ${binds.add(state)}`]
}
