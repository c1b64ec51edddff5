import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bodyOf } from '../../bench/support/worst-recipe.ts'
import { readFound } from '../../bench/support/worst-search.ts'
import { call } from '../support/processes/server.ts'

/** As for the largest legal bodies, whatever their form (large-bodies.test.ts). */
const MEMORY_MIB_MAX = 512

test('the costliest bodies that a search found, of every route, are answered within 512 MiB', {
  skip: process.platform !== 'linux' && 'reads /proc',
}, async () => {
  const server = fork(join(import.meta.dirname, 'measured-server.ts'))
  const [{ port, headers }] = await once(server, 'message')
  let count = 0
  for (const [route, { accepted, refused }] of Object.entries(readFound())) {
    const [method = '', path = ''] = route.split(' ')
    if (method === 'GET' || path.endsWith('/import')) continue
    for (const recipe of [accepted, refused]) {
      if (recipe === null) continue
      const body = Buffer.from(JSON.stringify(bodyOf(recipe)))
      const known = path.replaceAll(/\{\w+\}/g, '999999999')
      const { status, text } = await call(port, { method, path: known, headers, body })
      assert.ok(status >= 200 && status < 500, `${route}: ${status} ${text.slice(0, 300)}`)
      count += 1
    }
  }
  assert.ok(count > 40, String(count))
  const lines = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  const peakMib = Number(/VmHWM:\s+(\d+)/.exec(lines)?.[1]) / 1024
  assert.ok(peakMib > 0 && peakMib < MEMORY_MIB_MAX, `${peakMib} MiB`)
  server.send('stop')
  await once(server, 'exit')
})
