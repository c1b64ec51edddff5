import type { Db } from '../../../src/store/db.ts'
import { until } from '../until.ts'

const LOOKS = 40

/** Waits until workers have asked often whether sending is held: what would leave would have left by then. */
export async function untilLookedAt(db: Db): Promise<void> {
  const looks = async (): Promise<number> => {
    const { rows } = await db.query<{ looks: number }>(
      `select seq_scan::integer as looks from pg_stat_user_tables where relname = 'sending_hold'`,
    )
    return rows[0]?.looks ?? 0
  }
  const start = await looks()
  await until(async () => (await looks()) > start + LOOKS, { what: 'workers that look' })
}
