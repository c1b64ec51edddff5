import { dispatch } from './cli/dispatch.ts'
import { UsageError } from './cli/usage-error.ts'
import { reportFailure } from './runtime/host.ts'
import { cutKeys } from './runtime/redact.ts'
import { StartError } from './runtime/start-error.ts'

/** Codes a shell script can tell apart: done, could not be done, was not understood. */
const EXIT = { done: 0, failed: 1, usage: 2 } as const

// Whoever reads our output may leave before us (`beckon help | head`); that is no failure of ours.
process.stdout.on('error', () => undefined)

process.exit(await run())

async function run(): Promise<number> {
  try {
    await dispatch(process.argv.slice(2))
    return EXIT.done
  } catch (error) {
    if (error instanceof UsageError) {
      await reportFailure(error.message)
      return EXIT.usage
    }
    // A sentence for what an operator can mend; the whole stack for what only we can.
    const isSentence = error instanceof StartError || !(error instanceof Error)
    await reportFailure(
      isSentence ? String(error).replace(/^\w*Error: /, '') : cutKeys(error.stack ?? error.message),
    )
    return EXIT.failed
  }
}
