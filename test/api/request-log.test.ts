import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createLog } from '../../src/runtime/log.ts'
import {
  call,
  keyHeaders,
  sendRaw,
  startServer,
  type TestServerOptions,
} from '../support/processes/server.ts'
import { until } from '../support/until.ts'

async function loggedServer(settings: TestServerOptions = {}) {
  const lines: string[] = []
  const log = createLog({ level: 'info', process: 'test', to: { write: (line) => void lines.push(line) } })
  const server = await startServer({ ...settings, deps: { log } })
  after(server.close)
  /** The line is written when the reply is gone, a moment after the caller has it. */
  const lineOf = async (id: unknown): Promise<Readonly<Record<string, unknown>>> => {
    const found = (): string | undefined => lines.find((line) => line.includes(String(id)))
    await until(() => found() !== undefined, { what: `the line of ${String(id)}` })
    assert.equal(lines.filter((line) => line.includes(String(id))).length, 1)
    return Object(JSON.parse(found() ?? '{}'))
  }
  return { server, lines, lineOf }
}

const logged = await loggedServer()
const { server, lines, lineOf } = logged
const brand = await server.brand()

test('every request has one line with its id, whatever became of it', async () => {
  const headers = keyHeaders(brand)
  const cases = [
    { call: { path: '/api/v1/brand', headers }, status: 200, route: '/api/v1/brand' },
    { call: { path: '/api/v1/SEGMENTS/77', headers }, status: 404, route: '/api/v1/segments/{segment_id}' },
    { call: { path: '/api/v1/segments', headers, body: '{' }, status: 400, route: '/api/v1/segments' },
    { call: { path: '/healthz' }, status: 200, route: '/healthz' },
    { call: { path: '/nothing/here?userID=ann' }, status: 404, route: null },
    { call: { path: '/%zz' }, status: 400, route: null },
    { call: { path: '/api/v1/brand' }, status: 401, route: '/api/v1/brand' },
  ]
  for (const { call: given, status, route } of cases) {
    const answer = await call(server.port, given)
    assert.equal(answer.status, status, given.path)
    const line = await lineOf(answer.headers['x-request-id'])
    assert.deepEqual([line['status'], line['route'], line['level']], [status, route, 'info'], given.path)
    assert.ok(Number(line['duration_ms']) >= 0)
    const isKnown = 'headers' in given
    assert.equal(line['brand'], isKnown ? brand.externalId : null)
    assert.match(String(line['actor']), isKnown ? /^key:\d+$/ : /^null$/)
  }
})

test('bytes that are no request have a line too', async () => {
  const reply = await sendRaw(server.port, 'NONSENSE\r\n\r\n')
  const [, id] = /"request_id":"([^"]+)"/.exec(reply) ?? []
  assert.equal((await lineOf(id))['status'], 400)
})

test('neither the body nor the query nor the key reaches the log', async () => {
  const headers = keyHeaders(brand)
  const body = { title: 'BODYWORD', message: 'BODYWORD', user_id: 'BODYWORD' }
  const sent = await call(server.port, { path: '/api/v1/android/send', headers, body })
  const read = await call(server.port, { path: '/api/v1/user/userdata?userID=QUERYWORD', headers })
  for (const { headers: given } of [sent, read]) await lineOf(given['x-request-id'])
  assert.deepEqual(
    lines.filter((line) => /BODYWORD|QUERYWORD/.test(line) || line.includes(brand.secretKey)),
    [],
  )
})

test('the log has no line for requests when it is switched off', async () => {
  const silent = await loggedServer({ options: { logsRequests: false } })
  assert.equal((await call(silent.server.port, { path: '/healthz' })).status, 200)
  await silent.server.server.stop()
  assert.deepEqual(silent.lines, [])
})
