import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProcessSlot, type SlotProcess } from '../../src/runtime/processes/process-slot.ts'
import type { ProcessExit } from '../../src/runtime/processes/supervised-process.ts'
import { memoryLog } from '../support/memory-log.ts'
import { until } from '../support/until.ts'

const DRAIN_MAX_MS = 1_000

/** A process that starts and dies when the test says so. */
function openProcess(at: number) {
  const ready = Promise.withResolvers<void>()
  const exited = Promise.withResolvers<ProcessExit>()
  const said: string[] = []
  const die = (word: string): void => {
    said.push(word)
    exited.resolve({ code: 0, signal: null })
  }
  const running: SlotProcess = {
    name: `api-1 (${at})`,
    startedAt: 0,
    ready: ready.promise,
    exited: exited.promise,
    drain: async () => die('drained'),
    kill: () => die('killed'),
    measure: async () => null,
  }
  return { running, said, die, becomeReady: () => ready.resolve(), fail: () => ready.reject(new Error('no')) }
}

async function startSlot() {
  const started: ReturnType<typeof openProcess>[] = []
  const restarts: number[] = []
  const slot = new ProcessSlot({
    spawn: () => {
      const process = openProcess(started.length)
      started.push(process)
      return process.running
    },
    log: memoryLog(),
    onRestart: () => restarts.push(started.length),
  })
  started[0]?.becomeReady()
  await slot.start()
  const said = () => started.map((process) => process.said)
  return { slot, started, restarts, said }
}

test('a process that dies is followed by another', async () => {
  const { slot, started, restarts, said } = await startSlot()
  started[0]?.die('died')
  await until(() => started.length === 2, { what: 'the second process' })
  assert.deepEqual(restarts, [2])
  started[1]?.becomeReady()
  await slot.stop(DRAIN_MAX_MS)
  assert.deepEqual(said(), [['died'], ['drained']])
})

test('a process is replaced once the new one is ready, and stays when the new one fails', async () => {
  const { slot, started, restarts, said } = await startSlot()
  const failing = slot.replace(DRAIN_MAX_MS)
  started[1]?.fail()
  await assert.rejects(failing)
  const replacing = slot.replace(DRAIN_MAX_MS)
  assert.deepEqual(said(), [[], ['killed'], []])
  started[2]?.becomeReady()
  await replacing
  assert.deepEqual(said(), [['drained'], ['killed'], []])
  assert.deepEqual(restarts, [])
  slot.kill()
})

test('a process that took over from one that died is drained too when a replacement comes', async () => {
  const { slot, started, said } = await startSlot()
  const replacing = slot.replace(DRAIN_MAX_MS)
  started[0]?.die('died')
  await until(() => started.length === 3, { what: 'the process after the death' })
  started[1]?.becomeReady()
  await replacing
  assert.deepEqual(said(), [['died'], [], ['drained']])
  assert.equal(slot.current, started[1]?.running)
  slot.kill()
})

test('a slot that was stopped starts nothing, and keeps nothing that was starting', async () => {
  const { slot, started, said } = await startSlot()
  const replacing = slot.replace(DRAIN_MAX_MS)
  await slot.stop(DRAIN_MAX_MS)
  started[1]?.becomeReady()
  await replacing
  await slot.replace(DRAIN_MAX_MS)
  assert.deepEqual(said(), [['drained'], ['killed']])
})
