import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { countStates, seedDueEnrolments, seedJourney } from '../support/journeys/seeds.ts'
import { newDevices, startEngine } from '../support/push/engine.ts'
import { until } from '../support/until.ts'

const engine = await startEngine()
const folder = mkdtempSync(join(tmpdir(), 'beckon-journey-kills-'))
const accessFile = join(folder, 'access.json')
writeFileSync(accessFile, JSON.stringify(engine.access))
const workers = new Set<ChildProcess>()
after(async () => {
  for (const worker of workers) await kill(worker)
  await engine.close()
  rmSync(folder, { recursive: true })
})

async function startWorker(): Promise<ChildProcess> {
  const file = join(import.meta.dirname, 'worker-process.ts')
  const args = [file, '--url', engine.url, '--access', accessFile, '--journeys']
  const worker = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  workers.add(worker)
  await once(worker.stdout, 'data')
  return worker
}

async function kill(worker: ChildProcess): Promise<void> {
  workers.delete(worker)
  if (worker.exitCode !== null || worker.signalCode !== null) return
  const exited = once(worker, 'exit')
  worker.kill('SIGKILL')
  await exited
}

const KILLS = 3
const PEOPLE = 1_000

test('workers killed in the middle leave nobody stuck, and nobody sees a notification twice', async () => {
  const { database, sandbox } = engine
  const { brandId } = await engine.brand()
  const send = { to: 'anywhere', title: 'Hello', message: 'World' }
  const steps = [
    { id: 'first', send },
    { id: 'wait', wait: { seconds: 1 } },
    { id: 'second', send },
  ]
  const ref = await seedJourney(database, brandId, { trigger: { event: 'signup' }, steps })
  const devices = newDevices(engine, { platform: 'android', count: PEOPLE })
  await seedDueEnrolments(database, { ...ref, devices, step: 'first', wakeAt: Date.now() })

  let victim = await startWorker()
  for (let kills = 0; kills < KILLS; kills += 1) {
    const arrived = sandbox.inbox.total
    await until(() => sandbox.inbox.total > arrived + 50 || sandbox.inbox.total >= 2 * PEOPLE, {
      what: 'arrivals',
    })
    await kill(victim)
    victim = await startWorker()
  }
  await until(async () => (await countStates(database, ref))['completed'] === PEOPLE, { what: 'the end' })
  const isSent = async () =>
    (
      await database.query(
        `select from notifications where brand_id = $1 and state = 'sent' and accepted = 1`,
        [brandId],
      )
    ).count ===
    2 * PEOPLE
  await until(isSent, { what: 'every notification' })

  const { count } = await database.query('select from notifications where brand_id = $1', [brandId])
  assert.equal(count, 2 * PEOPLE, 'each step asked once for each person')
  const seen = new Set(sandbox.inbox.newest().map(({ address, collapseId }) => `${address} ${collapseId}`))
  assert.equal(seen.size, 2 * PEOPLE, 'what arrived twice replaced itself on the device')
})
