import type { Config } from '../config.ts'
import type { EventFiles } from '../intake/event-files/ask-files.ts'
import { openEventFiles } from '../intake/event-files/open-files.ts'
import { createLog } from '../runtime/log.ts'

/** The files of events whose rows are dropped, for a command; null if rows stay. */
export function openDropped(config: Config): EventFiles | null {
  if (config.eventRowsDays === null) return null
  return openEventFiles({ config, log: createLog({ level: config.logLevel, process: 'command' }) })
}
