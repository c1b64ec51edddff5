import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { EVENT_LIMITS } from '../../src/rules/events.ts'
import { call } from '../support/processes/server.ts'

const CLIENTS = 4
const MEMORY_MIB_MAX = 512

const entry = (filler: string): object => ({ userID: 'u', event_name: 'e', attributes: { blob: { filler } } })

test('the largest legal body from four clients at once stays under 512 MiB; a larger one is not read to its end', {
  skip: process.platform !== 'linux' && 'reads /proc',
}, async () => {
  const server = fork(join(import.meta.dirname, 'measured-server.ts'))
  const [{ port, headers }] = await once(server, 'message')
  const room = EVENT_LIMITS.entryBytesMax - JSON.stringify(entry('')).length
  const text = JSON.stringify(entry('x'.repeat(room)))
  const body = Buffer.from(`{"nv":[${Array.from({ length: EVENT_LIMITS.entriesMax }, () => text).join()}]}`)
  assert.ok(body.length > 62 * 1024 * 1024 && body.length < EVENT_LIMITS.bodyBytesMax)
  const path = '/api/event'
  const answers = await Promise.all(
    Array.from({ length: CLIENTS }, async () => call(port, { path, headers, body })),
  )
  for (const answer of answers) assert.equal(answer.body['processed'], EVENT_LIMITS.entriesMax, answer.text)
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  const peakMib = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024
  assert.ok(peakMib > 0 && peakMib < MEMORY_MIB_MAX, `${peakMib} MiB`)

  const over = Buffer.alloc(EVENT_LIMITS.bodyBytesMax + 1, ' ')
  assert.equal((await call(port, { path, headers, body: over })).status, 413)
  server.send('stop')
  await once(server, 'exit')
})
