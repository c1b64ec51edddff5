const FAMILY = 1_650_815_854

/**
 * What one session holds while it works on the database as a whole. They stand together so that no two are the same,
 * and have two numbers so that they never meet the one-number locks of idempotency keys.
 */
export const SESSION_LOCKS = {
  migration: [FAMILY, 1],
  dataFolder: [FAMILY, 2],
  eventWeeks: [FAMILY, 3],
} as const
