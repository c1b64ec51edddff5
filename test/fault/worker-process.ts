import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runJourneys } from '../../src/pipeline/journeys/journeys.ts'
import { runSeries } from '../../src/pipeline/series/series.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { createLog } from '../../src/runtime/log.ts'
import { loopMeters } from '../../src/runtime/loop/meters.ts'
import { Metrics } from '../../src/runtime/metrics.ts'
import { Database } from '../../src/store/db.ts'
import { PATIENT } from '../support/database/database.ts'
import { runPushLane } from '../support/push/engine.ts'

/**
 * A worker of the push lane in a process of its own, to be killed, which also adds up the series; with `--journeys` it
 * runs those too. `--behind` sets its clock back by that many ms.
 */
const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    access: { type: 'string' },
    behind: { type: 'string', default: '0' },
    journeys: { type: 'boolean', default: false },
  },
})

const behindMs = Number(values.behind)
const realNow = Date.now
if (behindMs !== 0) Date.now = () => realNow() - behindMs

const database = new Database({
  ...PATIENT,
  url: values.url ?? '',
  connectionsMax: 10,
  name: 'beckon test worker',
})
// On standard error, where the test hears it.
const log = createLog({ level: 'error', process: 'worker' })
runPushLane(database, JSON.parse(readFileSync(values.access ?? '', 'utf8')), log)
const { signal } = new AbortController()
const context = { signal, log, meters: loopMeters(new Metrics('test')) }
void runSeries({ database, clock: systemClock }, context)
if (values.journeys) void runJourneys({ database }, context)
process.stdout.write('ready\n')
