import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../src/runtime/log.ts'
import { Outage, withoutOutage } from '../../src/runtime/outage.ts'
import { troubleOf } from '../../src/store/unavailable.ts'
import { countOutageLines } from '../cluster/load/outage-lines.ts'

test('the lines of outages and the errors with a stack are counted for each process', () => {
  const lines: string[] = ['Beckon is ready on http://10.0.0.1:8080\n', '{ of another program }\n']
  const write = (line: string): void => void lines.push(line)
  for (const name of ['api-1', 'worker-1', 'worker-2']) {
    const log = createLog({ level: 'info', process: name, to: { write } })
    const time = { now: 0 }
    const outage = new Outage({ log, clock: { now: () => time.now }, troubleOf })
    const quiet = withoutOutage(log, outage)
    quiet.info('a line without an error')
    if (name === 'worker-2') continue
    for (let count = 0; count < 3; count += 1) quiet.error('failed', { error: AWAY })
    if (name === 'api-1') time.now += 2_000
    outage.answered()
    if (name === 'api-1') quiet.error('failed', { cause: new Error('a mistake of ours') })
  }
  assert.deepEqual(countOutageLines(lines.join('')), {
    'api-1': { away: 1, back: 1, stacks: 1 },
    'worker-1': { away: 1, back: 0, stacks: 0 },
  })
})

const AWAY = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
