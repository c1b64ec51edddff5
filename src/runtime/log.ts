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
export function createLog({ level, process: name, to }: LogOptions): Log {
  const logger = pino(
    {
      level,
      base: { process: name },
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

/**
 * Lines of level info wait for a moment, so that the lines of many requests are one write. Warnings and errors take all
 * that waits with them at once, and so does the end of the process; only a kill loses the lines of the last moment.
 */
function standardError(): DestinationStream {
  const stream = destination({ fd: 2, sync: true })
  // The reader of the log is gone; Beckon goes on without a log.
  stream.on('error', () => undefined)
  return gatherLines((text) => void stream.write(text), process)
}

type Exiting = { readonly once: (event: 'exit', listener: () => void) => unknown }

export function gatherLines(write: (text: string) => void, exiting: Exiting): DestinationStream {
  let waiting = ''
  let timer: NodeJS.Timeout | null = null
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (waiting !== '') write(waiting)
    waiting = ''
  }
  exiting.once('exit', flush)
  const gathered = {
    // With this mark pino notes the level of a line before it writes the line.
    [pino.symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    write: (line: string): void => {
      waiting += line
      if (gathered.lastLevel > INFO || waiting.length > GATHERED_CHARS_MAX) flush()
      else timer ??= setTimeout(flush, GATHERED_MS).unref()
    },
  }
  return gathered
}

const INFO = pino.levels.values['info'] ?? 0
const GATHERED_MS = 50
const GATHERED_CHARS_MAX = 16 * 1024
