import { type DestinationStream, destination, type Logger, pino } from 'pino'
import { cutKeys, redact } from './redact.ts'

/** Logs a message with fields to search by. Every message and field goes through `redact` first. */
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
  /** The name of the process: `supervisor`, `api-1`, `worker-2`. */
  readonly process: string
  /** The output; standard error, if absent. */
  readonly to?: DestinationStream
}

/** One JSON object per line on standard error; standard output is for people. */
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

/** Lines are written synchronously, so that the last lines of a process that dies are not lost. */
function standardError(): DestinationStream {
  const stream = destination({ fd: 2, sync: true })
  // The reader of the log is gone; Beckon goes on without a log.
  stream.on('error', () => undefined)
  return stream
}
