import { type DestinationStream, destination, type Logger, pino } from 'pino'
import { cutKeys, redact } from './redact.ts'

/** Says what happened, with what a machine can search by. Everything said goes through `redact` first. */
export type Log = {
  readonly debug: Say
  readonly info: Say
  readonly warn: Say
  readonly error: Say
  readonly fatal: Say
  /** The same log, with these fields on every line. */
  readonly with: (fields: LogFields) => Log
}

export type Say = (message: string, fields?: LogFields) => void

export type LogFields = { readonly [name: string]: unknown }

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

export type LogLevel = (typeof LOG_LEVELS)[number]

type LogOptions = {
  readonly level: LogLevel
  /** Which process speaks: `supervisor`, `api-1`, `worker-2`. */
  readonly process: string
  /** Where lines go: standard error, unless a test listens. */
  readonly to?: DestinationStream
}

/** One JSON object per line on standard error; standard output is left to people. */
export function createLog({ level, process, to }: LogOptions): Log {
  const logger = pino(
    {
      level,
      base: { process },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    to ?? standardError(),
  )
  return wrap(logger, {})
}

function wrap(logger: Logger, always: LogFields): Log {
  const say =
    (level: Exclude<LogLevel, 'silent'>): Say =>
    (message, fields = {}) => {
      if (logger.isLevelEnabled(level)) logger[level](redact({ ...always, ...fields }), cutKeys(message))
    }
  return {
    debug: say('debug'),
    info: say('info'),
    warn: say('warn'),
    error: say('error'),
    fatal: say('fatal'),
    with: (fields) => wrap(logger, { ...always, ...fields }),
  }
}

/** Written at once, so that the last words of a process that dies are not lost. */
function standardError(): DestinationStream {
  const stream = destination({ fd: 2, sync: true })
  // Whoever read the log is gone: Beckon goes on without being heard.
  stream.on('error', () => undefined)
  return stream
}
