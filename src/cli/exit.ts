/** Exit codes that a shell script can tell apart. */
export const EXIT = { done: 0, failed: 1, usage: 2, partly: 3 } as const

/** The command line is not understood: one sentence, and the help page to read. */
export class UsageError extends Error {
  constructor(sentence: string, command: string, options: ErrorOptions = {}) {
    super(`${sentence}: see bin/beckon ${command === '' ? '' : `${command} `}--help.`, options)
  }
}

/** The command is done but for a part that was refused and reported. */
export class PartlyDone extends Error {}
