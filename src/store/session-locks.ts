const FAMILY = 1_650_815_854

/**
 * Advisory locks of sessions that work on the database as a whole. They are listed together so that no two are equal.
 * They have two numbers, so that they never meet the one-number locks of idempotency keys.
 */
export const SESSION_LOCKS = {
  migration: [FAMILY, 1],
  dataFolder: [FAMILY, 2],
  eventWeeks: [FAMILY, 3],
  eventFiles: [FAMILY, 4],
  eventFilesInUse: [FAMILY, 5],
} as const
