import { errorCode } from '../runtime/error-code.ts'

export type Try = 'first' | 'later'

/** Somebody was erased or merged between being found and being written to. Done again, the work finds who is there. */
export class Vanished extends Error {
  readonly code = VANISHED
}

const VANISHED = 'VANISHED'

/**
 * Does work that stores events or profiles, and does it again when it was undone for a reason that a later try may be
 * spared. Give it the whole transaction: nothing of the first is left then, and no less can be tried again, which is
 * why it is caught here.
 */
export async function tryAgain<Value>(work: (which: Try) => Promise<Value>): Promise<Value> {
  let which: Try = 'first'
  for (let tries = 1; ; tries++) {
    try {
      return await work(which)
    } catch (cause) {
      if (tries === TRIES_MAX || !MENDABLE.test(errorCode(cause) ?? '')) throw cause
      which = 'later'
    }
  }
}

const TRIES_MAX = 5

/**
 * 23514: the week of an event got a table of its own while the event was on its way to the default one. 40P01: two
 * waited for each other. 22…: a value the database cannot hold, such as 1e-20000; it stands only in a body that is
 * handed on as it came, so a later try writes it anew.
 */
const MENDABLE = new RegExp(`^(?:${VANISHED}|23514|40P01|22...)$`)
