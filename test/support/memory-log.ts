import type { Log, LogFields, Say } from '../../src/runtime/log.ts'

export type Line = { readonly level: string; readonly message: string; readonly fields: LogFields }

/** A log that keeps what it was told, for tests that ask what was said. */
export function memoryLog(
  lines: Line[] = [],
  always: LogFields = {},
): Log & { readonly lines: readonly Line[] } {
  const say =
    (level: string): Say =>
    (message, fields = {}) => {
      lines.push({ level, message, fields: { ...always, ...fields } })
    }
  return {
    lines,
    debug: say('debug'),
    info: say('info'),
    warn: say('warn'),
    error: say('error'),
    fatal: say('fatal'),
    with: (fields) => memoryLog(lines, { ...always, ...fields }),
  }
}
