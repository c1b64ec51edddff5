import { StartError } from '../runtime/errors.ts'
import { reportFailure } from '../runtime/processes/lifecycle.ts'
import { cutKeys } from '../runtime/redact.ts'
import { dispatch } from './dispatch.ts'
import { EXIT, PartlyDone, UsageError } from './exit.ts'

/** Runs a command line and returns the exit code. This is `main`'s catch: every error ends here. */
export async function run(typed: readonly string[]): Promise<number> {
  // A reader of the output may end before the command (`beckon help | head`), which is no failure.
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

/** A sentence for an error that the operator can mend; the whole stack for a fault of the program. */
function tell(error: unknown): string {
  if (error instanceof StartError || error instanceof UsageError || error instanceof PartlyDone) {
    return error.message
  }
  return cutKeys(error instanceof Error ? (error.stack ?? error.message) : String(error))
}
