import { integer } from './setting.ts'
import type { Read } from './setting-row.ts'

/** DuckDB, which works on event files. */
export function analyticsSettings(read: Read) {
  return {
    analyticsMemoryMib: read({
      name: 'BECKON_ANALYTICS_MEMORY',
      parse: integer(256, 1_048_576),
      default: 512,
      meaning:
        'MiB of memory that the process with DuckDB may take. It runs only while event files are written, by bin/beckon export.',
    }),
  }
}
