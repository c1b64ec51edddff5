import { folderPlace } from '../../../src/intake/event-files/file-place.ts'
import type { FreezeDeps } from '../../../src/intake/event-files/freeze.ts'
import { FreezePace, IntakeWatch, type PaceTime } from '../../../src/intake/event-files/freeze-pace.ts'
import type { DuckDbProcess } from '../../../src/runtime/duckdb/duckdb-process.ts'
import type { TestDatabase } from '../database/database.ts'
import type { Frozen } from './frozen.ts'

type Given = Pick<TestDatabase, 'url' | 'database'> & {
  readonly frozen: Frozen
  readonly duckdb: DuckDbProcess
  readonly laterMs?: number
  readonly rowsDays?: number
  readonly partMsMax?: number
  readonly time?: PaceTime
}

/**
 * The dependencies of freezing, while events come in and with a clock that is `laterMs` ahead, and the number of ranges that were written with
 * rests.
 * Without `time` the rests take no time.
 */
export function freezeDeps({ url, database, frozen, duckdb, laterMs = 0, ...given }: Given) {
  const { rowsDays = null, partMsMax, time = UNTIMED } = given
  const { signal } = new AbortController()
  const paced = { count: 0 }
  let batch = 0n
  const intake = new IntakeWatch(async () => (batch += 1n), time)
  const newPace = (eventMsMax: number): FreezePace => {
    paced.count += 1
    return new FreezePace({ intake, signal, eventMsMax, partMsMax, time })
  }
  const deps: FreezeDeps = {
    databaseUrl: url,
    database,
    clock: { now: () => Date.now() + laterMs },
    place: folderPlace(frozen.folder),
    cache: null,
    rowsDays,
    duckdb,
    newPace,
    log: frozen.eventFiles.log,
  }
  return { deps, paced }
}

const UNTIMED = { elapsed: () => 0, sleep: async () => undefined }
