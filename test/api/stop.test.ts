import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { replySuccess } from '../../src/http/reply.ts'
import { call, readAll, startServer } from '../support/processes/server.ts'
import { echoRoute } from '../support/reference/routes.ts'

type Slow = { readonly open: () => void; readonly arrived: Promise<void> }

function slowRoute(): Slow & { readonly route: ReturnType<typeof echoRoute> } {
  const gate = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  const handler = async () => {
    arrived.resolve()
    await gate.promise
    return replySuccess({})
  }
  const route = echoRoute({ method: 'GET', path: '/slow', body: 'none', handler })
  return { route, open: gate.resolve, arrived: arrived.promise }
}

test('a request in flight is answered, with connection: close, and only then does stop return', async () => {
  const slow = slowRoute()
  const server = await startServer({ routes: [slow.route] })
  const running = call(server.port, { path: '/slow', headers: { connection: 'keep-alive' } })
  await slow.arrived
  let isStopped = false
  const stop = async (): Promise<void> => {
    await server.close()
    isStopped = true
  }
  const stopped = stop()
  await assert.rejects(call(server.port, { path: '/slow' }), /ECONNREFUSED|ECONNRESET/)
  assert.equal(isStopped, false)
  slow.open()
  const { status, headers } = await running
  assert.equal(status, 200)
  assert.equal(headers['connection'], 'close')
  await stopped
})

test('a request that was on its way on an idle connection is answered', async () => {
  const server = await startServer({ routes: [echoRoute()], options: { quietMs: 60_000 } })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = async (): Promise<string | undefined> => {
    const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
    const headers = { 'content-type': 'application/json' }
    const options = { port: server.port, host: '127.0.0.1', path: '/echo', method: 'POST', agent, headers }
    const sent = request(options, (response) => {
      response.resume().on('end', () => resolve(response.headers['connection']))
    })
    sent.on('error', reject).end('{}')
    return promise
  }
  assert.equal(await ask(), 'keep-alive')
  const stopped = server.close()
  assert.equal(await ask(), 'close')
  await stopped
  agent.destroy()
})

test('idle connections are closed, so that stop is quick', async () => {
  const server = await startServer({ routes: [echoRoute()], options: { quietMs: 10, stopTimeoutMs: 60_000 } })
  const socket = connect(server.port, '127.0.0.1')
  socket.write('GET /nothing HTTP/1.1\r\nhost: a\r\n\r\n')
  const ended = readAll(socket)
  await new Promise((resolve) => socket.once('data', resolve))
  await server.close()
  assert.match(await ended, /^HTTP\/1\.1 404/)
})

test('work that never ends is cut off at the bound', async () => {
  const slow = slowRoute()
  const server = await startServer({ routes: [slow.route], options: { stopTimeoutMs: 50 } })
  const running = assert.rejects(call(server.port, { path: '/slow' }), /hang up|ECONNRESET/)
  await slow.arrived
  await server.close()
  await running
})

test('a server that never listened stops too', async () => {
  const server = await startServer({ routes: [echoRoute()] })
  await server.close()
  await server.server.stop()
})
