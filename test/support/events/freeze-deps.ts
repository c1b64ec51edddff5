import { folderPlace } from '../../../src/intake/event-files/file-place.ts'
import type { FreezeDeps } from '../../../src/intake/event-files/freeze.ts'
import { FreezePace, IntakeWatch } from '../../../src/intake/event-files/freeze-pace.ts'
import type { DuckDbProcess } from '../../../src/runtime/duckdb/duckdb-process.ts'
import type { TestDatabase } from '../database/database.ts'
import type { Frozen } from './frozen.ts'

type Given = Pick<TestDatabase, 'url' | 'database'> & {
  readonly frozen: Frozen
  readonly duckdb: DuckDbProcess
  readonly laterMs?: number
}

/** The parts that freeze one range, some time from now, and the number of ranges that were written with rests. The rests take no time. */
export function freezeDeps({ url, database, frozen, duckdb, laterMs = 0 }: Given) {
  const { signal } = new AbortController()
  const paced = { count: 0 }
  const newPace = (): FreezePace => {
    paced.count += 1
    return new FreezePace({ intake: new IntakeWatch(async () => 1n), signal, time: UNTIMED })
  }
  const deps: FreezeDeps = {
    databaseUrl: url,
    database,
    clock: { now: () => Date.now() + laterMs },
    place: folderPlace(frozen.folder),
    cache: null,
    rowsDays: null,
    duckdb,
    newPace,
    log: frozen.eventFiles.log,
  }
  return { deps, paced }
}

const UNTIMED = { elapsed: () => 0, sleep: async () => undefined }
