/** A person typed something Beckon does not know: one sentence, and where to read more. */
export class UsageError extends Error {
  constructor(sentence: string, command: string, options: ErrorOptions = {}) {
    super(`${sentence}: see beckon ${command === '' ? '' : `${command} `}--help.`, options)
  }
}
