import type { Database } from '../../src/store/db.ts'

/** Few enough for the time limit of a statement. */
const PART = 100_000

/** People `user_1` to `user_N`, for whom `event-bodies.ts` writes entries. */
export async function seedProfiles(database: Database, brandId: number, profiles: number): Promise<void> {
  for (let from = 1; from <= profiles; from += PART) {
    await database.asEngine(async (tx) => {
      const span = [brandId, from, Math.min(from + PART - 1, profiles)]
      await tx.query(
        `insert into profiles (brand_id, id, created_at, updated_at)
         select $1, n, '2026-01-01', '2026-01-01' from generate_series($2::bigint, $3) as n`,
        span,
      )
      await tx.query(
        `insert into profile_identities (brand_id, kind, value, profile_id, profile_created_at)
         select $1, 'user_id', 'user_' || n, n, '2026-01-01' from generate_series($2::bigint, $3) as n`,
        span,
      )
    })
  }
}
