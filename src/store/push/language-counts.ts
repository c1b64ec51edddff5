import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { type AudienceQuery, audienceSql } from './audience-sql.ts'
import { PERSON_LANGUAGE } from './recipients.ts'

/** How many devices of an audience have the same language, and a person with the same language. */
export type LanguageCount = {
  readonly device: string | null
  readonly person: string | null
  readonly devices: number
}

/**
 * The languages in an audience, or among listed subscriptions, with the number of devices of each; the most frequent
 * ones first. Run it as the engine.
 */
export async function countLanguages(
  db: Db,
  query: AudienceQuery,
  ids: readonly bigint[] | null,
): Promise<readonly LanguageCount[]> {
  const binds = new Binds()
  const listed = ids === null ? '' : `and s.id = any(${binds.add(ids)}::bigint[])`
  const { rows } = await db.query<LanguageCount>(
    `select s.language as device, ${PERSON_LANGUAGE} as person, count(*)::integer as devices
     from subscriptions as s where ${audienceSql(query, binds)} ${listed}
     group by 1, 2 order by devices desc limit ${PAIRS_MAX}`,
    binds.values,
  )
  return rows
}

/** People may write anything into their language. No brand has so many real languages, so the rest is not counted. */
const PAIRS_MAX = 10_000
