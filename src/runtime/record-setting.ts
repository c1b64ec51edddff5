import { LOG_LEVELS, type LogLevel } from './log.ts'
import { choice, integer } from './setting.ts'
import type { Read } from './setting-row.ts'

/** Settings of the records that are kept for the operator. */
export function recordSettings(read: Read) {
  return {
    logLevel: read<LogLevel>({
      name: 'BECKON_LOG_LEVEL',
      parse: choice(LOG_LEVELS),
      default: 'info',
      meaning: `The lowest level that is logged: ${LOG_LEVELS.join(', ')}.`,
    }),
    requestLog: read<'on' | 'off'>({
      name: 'BECKON_REQUEST_LOG',
      parse: choice(['on', 'off']),
      default: 'on',
      meaning:
        'Whether every request writes a line to the log, at level info: method, route, status, duration, brand, actor and request id; never bodies or queries.',
    }),
    auditRetentionDays: read({
      name: 'BECKON_AUDIT_RETENTION_DAYS',
      parse: integer(1, 36_500),
      default: 730,
      meaning: 'The days that lines of the audit log are kept.',
    }),
  }
}
