import type { Config } from '../config.ts'

type Given = Pick<Config, 'databaseReadUrl' | 'eventRowsDays'>

/** A sentence for each setting that another setting switches off. */
export function describeUnusedSettings({ databaseReadUrl, eventRowsDays }: Given): readonly string[] {
  if (databaseReadUrl === null || eventRowsDays === null) return []
  return [
    'BECKON_DATABASE_READ_URL has no effect while BECKON_EVENT_ROWS_DAYS is set: the primary answers all reads.',
  ]
}
