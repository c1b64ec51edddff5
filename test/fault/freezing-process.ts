import { FileCache } from '../../src/intake/event-files/file-cache.ts'
import { folderPlace, storePlace } from '../../src/intake/event-files/file-place.ts'
import { StoreOutage } from '../../src/intake/event-files/store-outage.ts'
import { freezeRound } from '../../src/pipeline/events/freezing.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { createLog } from '../../src/runtime/log.ts'
import { S3Store } from '../../src/runtime/object-store/s3-store.ts'
import { Database } from '../../src/store/db.ts'
import { placeOf } from '../support/object-store/place.ts'

/** Freezes, round after round, until it is killed. */
const [, , url = '', folder = '', rowsDays = '', server = '', partMsMax = '', duckDbNode = ''] = process.argv
// The program that runs DuckDB in place of Node, and becomes Node.
if (duckDbNode !== '') process.execPath = duckDbNode
const database = new Database({ url, connectionsMax: 2, name: 'beckon freezing test' })
const log = createLog({
  level: 'error',
  process: 'freezing',
  to: { write: (line) => void process.stdout.write(line) },
})
const config = { analyticsMemoryMib: 256, eventRowsDays: rowsDays === '' ? null : Number(rowsDays) }
const store = server === '' ? null : new S3Store(placeOf(server))
const place = store === null ? folderPlace(folder) : storePlace(folder, store)
const cache =
  store === null ? null : new FileCache({ folder, bytesMax: 1e9, store, outage: new StoreOutage(log) })
const freezing = { databaseUrl: url, database, clock: systemClock, log, config, place, cache }
const deps = { ...freezing, cpuShare: 'equal' } as const
const { signal } = new AbortController()
process.stdout.write('begun\n')
for (;;) {
  await freezeRound({ ...deps, ...(partMsMax === '' ? {} : { partMsMax: Number(partMsMax) }) }, signal)
}
