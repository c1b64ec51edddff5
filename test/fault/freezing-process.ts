import { folderPlace } from '../../src/intake/event-files/file-place.ts'
import { freezeRound } from '../../src/pipeline/events/freezing.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { createLog } from '../../src/runtime/log.ts'
import { Database } from '../../src/store/db.ts'

/** Freezes, round after round, until it is killed. */
const [, , url = '', folder = '', rowsDays = ''] = process.argv
const database = new Database({ url, connectionsMax: 2, name: 'beckon freezing test' })
const log = createLog({
  level: 'error',
  process: 'freezing',
  to: { write: (line) => void process.stdout.write(line) },
})
const config = { analyticsMemoryMib: 256, eventRowsDays: rowsDays === '' ? null : Number(rowsDays) }
const place = folderPlace(folder)
const { signal } = new AbortController()
process.stdout.write('begun\n')
for (;;) {
  await freezeRound({ databaseUrl: url, database, clock: systemClock, log, config, place }, signal)
}
