import type { AnswerCounts } from '../../domain/push/health.ts'
import type { Database, Db } from '../db.ts'
import type { ChannelRef } from './channels.ts'

/** The answers that one worker got lately with one version of a brand's credential. */
export type WorkerAnswers = ChannelRef &
  AnswerCounts & { readonly worker: string; readonly version: number; readonly freshMs: number }

/**
 * Stores the counts of one worker and gives the sum over all workers. A lock makes workers follow each other, so that
 * two at once cannot both get less than the whole.
 */
export async function poolAnswers(database: Database, answers: WorkerAnswers): Promise<AnswerCounts> {
  const { brandId, platform, worker, version, freshMs } = answers
  return database.asEngine(async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('brake ' || $1::text || ' ' || $2, 0))`, [
      brandId,
      platform,
    ])
    await tx.query(
      `delete from channel_answers where brand_id = $1 and platform = $2
         and (version <> $3 or at < clock_timestamp() - $4 * interval '1 millisecond')`,
      [brandId, platform, version, freshMs],
    )
    await tx.query(
      `insert into channel_answers (brand_id, platform, worker, version, suspects, answers, at)
       values ($1, $2, $3, $4, $5, $6, clock_timestamp())
       on conflict (brand_id, platform, worker) do update
       set version = excluded.version, suspects = excluded.suspects, answers = excluded.answers, at = excluded.at`,
      [brandId, platform, worker, version, answers.suspects, answers.answers],
    )
    const { rows } = await tx.query<AnswerCounts>(
      `select sum(suspects)::integer as suspects, sum(answers)::integer as answers from channel_answers
       where brand_id = $1 and platform = $2`,
      [brandId, platform],
    )
    return rows[0] ?? { suspects: 0, answers: 0 }
  })
}

/** Forgets the answers from before a channel was repaired. */
export async function forgetAnswers(db: Db, { brandId, platform }: ChannelRef): Promise<void> {
  await db.query('delete from channel_answers where brand_id = $1 and platform = $2', [brandId, platform])
}
