import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { Database } from '../../src/store/db.ts'
import { PATIENT } from '../support/database/database.ts'

const EVENTS = 120_000
/** Few enough for the time limit of a statement. */
const PART = 40_000
const FILLER_CHARS = 1000
/**
 * Half of it is what V8 takes for young objects before it looks at them. A server that reads ahead for a caller who
 * does not, or whose rows outlive their page, takes about twice as much as this.
 */
const GROWTH_MIB_MAX = 100

test('an export of 140 MB takes the server little memory, also for a caller who does not read', {
  skip: process.platform !== 'linux' && 'reads /proc',
}, async (context) => {
  const server = fork(join(import.meta.dirname, 'measured-server.ts'))
  context.after(() => server.kill())
  const [{ port, url, brandId, headers }] = await once(server, 'message')
  await seed(url, brandId)
  const open = async (path: string): Promise<IncomingMessage> => {
    const options = { host: '127.0.0.1', port, path, headers, agent: false }
    const [response]: readonly IncomingMessage[] = await once(request(options).end(), 'response')
    assert.ok(response?.statusCode === 200)
    return response
  }
  // One of each form, so that the code that is measured has been loaded and warmed.
  await countLines(await open('/api/v1/events/export?userID=nobody'))
  await countLines(await open('/api/v1/events/export?format=csv&userID=nobody'))
  const beforeMib = peakMib(server.pid)

  // The one who does not read has all the time that the other takes to read everything.
  const stalled = await open('/api/v1/events/export')
  assert.equal(await countLines(await open('/api/v1/events/export?format=csv')), EVENTS + 1)
  assert.equal(await countLines(stalled), EVENTS)

  const growthMib = peakMib(server.pid) - beforeMib
  assert.ok(growthMib < GROWTH_MIB_MAX, `${growthMib} MiB`)
  server.send('stop')
  await once(server, 'exit')
})

async function seed(url: string, brandId: number): Promise<void> {
  const database = new Database({ ...PATIENT, url, connectionsMax: 1, name: 'export seed' })
  const startsAt = Date.now() - EVENTS
  for (let first = 0; first < EVENTS; first += PART) {
    await database.query(
      `insert into events (id, profile_id, event_at, brand_id, is_before_creation, event_name, ltv, attributes)
       select ($4 + n) << 21, 1, now(), $1, false, 'e', 0, jsonb_build_object('filler', repeat('x', $5))
       from generate_series($2::bigint, $3) as n`,
      [brandId, first, first + PART - 1, startsAt, FILLER_CHARS],
    )
  }
  await database.close()
}

async function countLines(response: IncomingMessage): Promise<number> {
  let lines = 0
  for await (const chunk of response) for (const byte of Buffer.from(chunk)) if (byte === NEWLINE) lines += 1
  return lines
}

const NEWLINE = 0x0a

function peakMib(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024
}
