import { errorCode } from '../runtime/error-code.ts'

export type Try = 'first' | 'second'

/**
 * Does work that stores events, and does it once more when the server refused it for a reason that a second try may be
 * spared. Give it the whole transaction: nothing of the first is left then, and no less can be tried again, which is
 * why it is caught here.
 */
export async function tryTwice<Value>(work: (which: Try) => Promise<Value>): Promise<Value> {
  return work('first').catch(async (cause: unknown) => {
    if (MENDABLE.test(errorCode(cause) ?? '')) return work('second')
    throw cause
  })
}

/**
 * 23514: the week of an event got a table of its own while the event was on its way to the default one. 40P01: two
 * waited for each other. 22…: a value the database cannot hold, such as 1e-20000; it stands only in a body that is
 * handed on as it came, so the second try writes it anew.
 */
const MENDABLE = /^(?:23514|40P01|22...)$/
