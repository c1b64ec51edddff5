import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { constants, getPriority, platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, mock, test } from 'node:test'
import { isLate } from '../../src/runtime/duckdb/duckdb-error.ts'
import { DuckDbProcess } from '../../src/runtime/duckdb/duckdb-process.ts'
import { until } from '../support/until.ts'
import { assertLeft, ENDLESS, LIMITS, TRIES, troubleOf } from './duckdb-statements.ts'

const folder = await mkdtemp(join(tmpdir(), 'beckon-duckdb-'))
after(async () => rm(folder, { recursive: true }))

function newBackground(): DuckDbProcess {
  const plan = { folder, memoryMib: 512, threads: 2, access: 'read', idleMs: 600_000 } as const
  return new DuckDbProcess({ ...plan, isBackground: true })
}

/** Asks a process of the lowest priority. On a busy machine its start may be late, and is then tried again. */
async function askInBackground(background: DuckDbProcess): Promise<void> {
  for (let triesLeft = TRIES; ; triesLeft -= 1) {
    try {
      await background.run({ sql: 'select 1' }, LIMITS)
      return
    } catch (cause) {
      if (!isLate(cause) || triesLeft === 0) throw cause
      await background.close()
    }
  }
}

test('a process for work that nobody waits for has the lowest priority', async () => {
  const background = newBackground()
  await askInBackground(background)
  assert.equal(getPriority(background.pid ?? 0), constants.priority.PRIORITY_LOW)
  await background.close()
})

/** The program is missing from some systems, and some containers forbid what it asks for. Beckon then goes on without. */
const hasChrt = spawnSync('chrt', ['-i', '0', 'true'], { env: {} }).status === 0

test('on Linux all threads of such a process run only when nobody else wants the CPU', {
  skip: platform() === 'linux' && hasChrt ? false : 'chrt cannot run here',
}, async () => {
  const background = newBackground()
  await askInBackground(background)
  const tasks = `/proc/${background.pid}/task`
  await until(
    async () => {
      const stats = await Promise.all(
        (await readdir(tasks)).map((task) => readFile(`${tasks}/${task}/stat`, 'utf8').catch(() => '')),
      )
      return stats.every((stat) => policyOf(stat) === IDLE_POLICY)
    },
    { what: 'all threads to be idle ones' },
  )
  await background.close()
})

test('a statement of background work that is late gives the work the priority of everybody, until it is closed', async () => {
  const background = newBackground()
  await askInBackground(background)
  const { pid } = background
  assert.equal(await troubleOf(background.run({ sql: ENDLESS }, { ...LIMITS, timeoutMs: 50 })), 'late')
  assert.deepEqual(await background.run({ sql: 'select 2' }, LIMITS), [[2]])
  assert.notEqual(background.pid, pid)
  assert.equal(getPriority(background.pid ?? 0), getPriority())
  await background.close()
  await askInBackground(background)
  assert.equal(getPriority(background.pid ?? 0), constants.priority.PRIORITY_LOW)
  await background.close()
})

test('a background process that is not ready in time is late, and the next one has the priority of everybody', async () => {
  const background = newBackground()
  mock.timers.enable({ apis: ['setTimeout'] })
  const trouble = troubleOf(background.run({ sql: 'select 1' }, LIMITS))
  // Within this turn of the event loop the process cannot say that it is ready.
  while (background.pid === null) await Promise.resolve()
  mock.timers.runAll()
  mock.timers.reset()
  assert.equal(await trouble, 'late')
  assert.equal(background.isHurried, true)
  assert.deepEqual(await background.run({ sql: 'select 2' }, LIMITS), [[2]])
  assert.equal(getPriority(background.pid ?? 0), getPriority())
  await background.close()
})

test('a caller who goes away leaves background work in the background', async () => {
  const background = newBackground()
  await askInBackground(background)
  const caller = new AbortController()
  const asking = background.run({ sql: ENDLESS }, { ...LIMITS, signal: caller.signal })
  caller.abort()
  await assertLeft(asking)
  assert.equal(background.isHurried, false)
  await background.close()
})

/** `SCHED_IDLE` of Linux, and the place of the policy behind the name of the thread, which may have any characters. */
const IDLE_POLICY = 5
function policyOf(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38])
}
