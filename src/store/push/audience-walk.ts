import type { Platform } from '../../rules/platforms.ts'
import { Binds } from '../bind.ts'
import type { Db } from '../db.ts'
import { type AudienceQuery, audienceSql } from './audience-sql.ts'

/** A live subscription of an audience. */
export type AudienceDevice = {
  readonly id: bigint
  readonly platform: Platform
  readonly timeZone: string | null
}

/** The members of an audience, page by page, as of one moment. Run it as the engine, in a transaction. */
export async function* walkAudience(
  tx: Db,
  query: AudienceQuery,
  limit: number,
): AsyncGenerator<readonly AudienceDevice[]> {
  const binds = new Binds()
  const text = `select s.id, s.platform, s.time_zone as "timeZone" from subscriptions as s
    where ${audienceSql(query, binds)}`
  yield* walkRows<AudienceDevice>(tx, { text, values: binds.values }, limit)
}

type Selection = { readonly text: string; readonly values: readonly unknown[] }

/** The rows of a query, page by page. A cursor reads all of them as of one moment. */
export async function* walkRows<Row extends object>(
  tx: Db,
  { text, values }: Selection,
  limit: number,
): AsyncGenerator<readonly Row[]> {
  await tx.query(`declare walked no scroll cursor for ${text}`, values)
  for (let isMore = true; isMore; ) {
    const { rows } = await tx.query<Row>(`fetch ${Math.trunc(limit)} from walked`)
    isMore = rows.length === limit
    yield rows
  }
  await tx.query('close walked')
}
