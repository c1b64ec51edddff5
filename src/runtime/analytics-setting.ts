import { resolve } from 'node:path'
import { eventStoreSettings } from './event-store-setting.ts'
import { choice, integer } from './setting.ts'
import type { Read } from './setting-row.ts'

/** DuckDB, which works on event files. Relative paths begin at `home`. */
export function analyticsSettings(read: Read, home: string) {
  return {
    analyticsMemoryMib: read({
      name: 'BECKON_ANALYTICS_MEMORY',
      parse: integer(256, 1_048_576),
      default: 512,
      meaning:
        'MiB of memory that a process with DuckDB may take. It runs while event files are written or read.',
    }),
    eventFilesDir: read<string | null>({
      name: 'BECKON_EVENT_FILES_DIR',
      parse: (value) => ({ ok: true, value: resolve(home, value) }),
      default: null,
      unset: 'none: weeks are not frozen, if there is no bucket either',
      meaning:
        'The folder for frozen weeks of events, as Parquet files that belong to one Beckon alone. All processes need the same files, so on several machines it is a shared folder. A relative path starts at the folder of Beckon.',
    }),
    eventRowsDays: read<number | null>({
      name: 'BECKON_EVENT_ROWS_DAYS',
      parse: integer(30, 3650),
      default: null,
      unset: 'none: all rows stay',
      meaning:
        'Days after which the rows of frozen events leave the database; the files then have the only copy. Needs BECKON_EVENT_FILES_URL, the embedded database, or BECKON_EVENT_FILES_SHARED. All processes need the same number. Once rows have left, it cannot be unset: a larger number keeps more.',
    }),
    eventFilesShared: read<'on' | 'off'>({
      name: 'BECKON_EVENT_FILES_SHARED',
      parse: choice(['on', 'off']),
      default: 'off',
      meaning:
        'on: the folder of event files is shared by all machines and as safe as the database, so that rows may be dropped.',
    }),
    ...eventStoreSettings(read, home),
  }
}
