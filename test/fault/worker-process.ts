import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Database } from '../../src/store/db.ts'
import { runPushLane } from '../support/engine.ts'

/** A worker of the push lane in a process of its own, to be killed. `--behind` sets its clock back by that many ms. */
const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    places: { type: 'string' },
    behind: { type: 'string', default: '0' },
  },
})

const behindMs = Number(values.behind)
const realNow = Date.now
if (behindMs !== 0) Date.now = () => realNow() - behindMs

const database = new Database({ url: values.url ?? '', connectionsMax: 10, name: 'beckon test worker' })
runPushLane(database, JSON.parse(readFileSync(values.places ?? '', 'utf8')))
process.stdout.write('ready\n')
