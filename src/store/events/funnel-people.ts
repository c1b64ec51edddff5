import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { type RowPage, readPage } from '../page.ts'
import { userIdSql } from '../people/user-id-sql.ts'
import { JOIN_SETS } from '../plans.ts'
import { type FunnelQuery, stepTablesSql } from './funnel.ts'

/** A person of a funnel. */
export type FunnelPerson = {
  readonly id: bigint
  readonly userId: string | null
  /** The time of their first step, and of their last one up to the asked step. */
  readonly startedAt: number
  readonly at: number
}

export type FunnelPeopleQuery = Omit<FunnelQuery, 'parts' | 'groupsMax'> & {
  /** The place of a step, from 0 on. */
  readonly step: number
  /** Whether they did the step, or did the one before and not this one. */
  readonly did: 'reached' | 'stopped'
  readonly afterId: bigint | null
  readonly limit: number
}

/** A page of the people whom a number of a funnel counts, by their internal ids. It is read as the funnel is. */
export async function listFunnelPeople(tx: Db, query: FunnelPeopleQuery): Promise<RowPage<FunnelPerson>> {
  const binds = new Binds()
  const { steps, step, did, afterId, limit } = query
  const tables = stepTablesSql({ ...query, steps: steps.slice(0, step + 1), parts: [], afterId }, binds)
  const people =
    did === 'reached'
      ? `select * from step${step}`
      : `select before.* from step${step - 1} as before left join step${step} as done using (profile_id)
         where done.profile_id is null`
  const brand = binds.add(query.brandId)
  const text = `with ${tables.join(', ')}
    select person.profile_id as id, (${userIdSql(brand, 'person.profile_id')}) as "userId",
      person.started_at as "startedAt", person.at
    from (select * from (${people}) as counted order by profile_id limit ${binds.add(limit)}) as person
    order by person.profile_id`
  await tx.query(JOIN_SETS)
  return readPage(tx, { text, values: binds.values, limit, kind: 'rows' })
}
