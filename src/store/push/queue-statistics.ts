import type { Database } from '../db.ts'

/**
 * Makes PostgreSQL take `chunks` for a long queue while it is one. Autovacuum often looks at it when it is empty or short; from
 * then on PostgreSQL expects a row or two of it, however many it has, and a settlement compares every chunk that waits with every
 * chunk that it settles. New statistics also end the plans that connections kept. Plans for a long queue look up each row by its
 * key, which is as good for a short one.
 */
export class QueueStatistics {
  readonly #elapsed: () => number
  #lookedAt = Number.NEGATIVE_INFINITY

  /** `elapsed`: tests bring their own. */
  constructor(elapsed = (): number => performance.now()) {
    this.#elapsed = elapsed
  }

  /**
   * Looks at the statistics after a claim of many chunks, and mends them; only the lane of small chunks claims so many. The
   * claimed chunks wait for it, so it throws if somebody else, such as a vacuum, has the lock.
   */
  async keep(database: Database, claimed: number): Promise<void> {
    const now = this.#elapsed()
    if (claimed < MANY || now - this.#lookedAt < EVERY_MS) return
    this.#lookedAt = now
    await database.asEngine(async (tx) => {
      await tx.query(`set local lock_timeout = ${LOCK_MS_MAX}`)
      await tx.query(MEND)
    })
  }
}

/** A smaller claim costs little also under a bad plan. */
const MANY = 32
const EVERY_MS = 1_000
const LOCK_MS_MAX = 100
/** PostgreSQL multiplies the rows of a page by the pages that there are. A page holds about forty chunks. */
const LONG = { pages: 250, rows: 10_000 } as const

const MEND = {
  name: 'mend_queue_statistics',
  text: `select pg_restore_relation_stats('schemaname', n.nspname::text, 'relname', c.relname::text,
      'relpages', ${LONG.pages}::integer, 'reltuples', ${LONG.rows}::real)
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where c.oid = 'chunks'::regclass and (c.relpages <> ${LONG.pages} or c.reltuples <> ${LONG.rows})`,
}
