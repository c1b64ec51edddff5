import { StartError } from '../runtime/error-code.ts'
import { reportFailure } from '../runtime/processes/lifecycle.ts'
import { cutKeys } from '../runtime/redact.ts'
import { dispatch } from './dispatch.ts'
import { PartlyDone } from './partly-done.ts'
import { UsageError } from './usage-error.ts'

/** Codes a shell script can tell apart: done, could not be done, was not understood, done in part. */
const EXIT = { done: 0, failed: 1, usage: 2, partly: 3 } as const

/** Runs what was typed and gives back the exit code. This is `main`'s catch: nothing gets past it. */
export async function run(typed: readonly string[]): Promise<number> {
  // Whoever reads our output may leave before us (`beckon help | head`); that is no failure of ours.
  process.stdout.on('error', () => undefined)
  try {
    await dispatch(typed)
    return EXIT.done
  } catch (error) {
    await reportFailure(tell(error))
    return exitCode(error)
  }
}

function exitCode(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage
  return error instanceof PartlyDone ? EXIT.partly : EXIT.failed
}

/** A sentence for what an operator can mend; the whole stack for what only we can. */
function tell(error: unknown): string {
  if (error instanceof StartError || error instanceof UsageError || error instanceof PartlyDone) {
    return error.message
  }
  return cutKeys(error instanceof Error ? (error.stack ?? error.message) : String(error))
}
