import { errorCode } from '../runtime/error-code.ts'

/**
 * Whether a row was refused because its week got a table of its own while the row was on its way to the default one.
 * Nothing of the work is left then, and whoever tries again finds the new table.
 */
export function isTableMoved(cause: unknown): boolean {
  return errorCode(cause) === CHECK_VIOLATION
}

const CHECK_VIOLATION = '23514'
