import { errorCode } from '../runtime/error-code.ts'

/**
 * Does work that stores events, and does it again when a row was refused because its week got a table of its own while
 * the row was on its way to the default one. Nothing of the work is left then, and the second try finds the new table.
 * Give it the whole transaction: no less can be tried again, which is why it is caught here.
 */
export async function storeAnywhere<Value>(work: () => Promise<Value>): Promise<Value> {
  return work().catch(async (cause: unknown) => {
    if (errorCode(cause) === CHECK_VIOLATION) return work()
    throw cause
  })
}

const CHECK_VIOLATION = '23514'
