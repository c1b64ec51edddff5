import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { isPublicAddress } from '../../src/domain/values/public-address.ts'
import { Http2Pool } from '../../src/providers/http2-pool.ts'
import { POOL_LIMITS, type PoolLimits } from '../../src/providers/pool-limits.ts'
import { trustingContext } from '../../src/providers/secure-socket.ts'
import type { Resolve } from '../../src/runtime/address-guard.ts'
import { makeCertificate } from '../../src/sandbox/certificate.ts'
import { FaultScript } from '../../src/sandbox/faults.ts'
import { SandboxServer } from '../../src/sandbox/server.ts'
import { requestFor } from './any-server.ts'

const authority = makeCertificate(Date.now())
const certificate = makeCertificate(Date.now(), ['push.example', 'fcm.example'], authority)
const PUBLIC = '93.184.215.14'

/** What the names of this test resolve to. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'push.example': [PUBLIC],
  'inner.example': ['10.1.2.3'],
  'mixed.example': [PUBLIC, '127.0.0.1'],
}

type Manner = 'works' | 'refuses' | 'silent'

/** A push service with a certificate of a private CA, and a real proxy on loopback that leads every tunnel to it. */
async function openProxied(t: TestContext, manner: Manner = 'works', change: Partial<PoolLimits> = {}) {
  const taken: string[] = []
  const server = new SandboxServer(
    {
      settings: { streamsMax: 100, headerBytesMax: 8000 },
      protocols: ['h2', 'http/1.1'],
      faults: new FaultScript(),
      addressOf: ({ path }) => path,
      answer: ({ path, headers }) => {
        taken.push(`${path} ${headers['proxy-authorization'] ?? ''}`)
        return { status: 201, headers: {}, body: '' }
      },
    },
    certificate,
  )
  await server.listen(0)
  const proxy = await openProxy(Number(new URL(server.origin).port), manner)
  const resolved: string[] = []
  const resolve: Resolve = (host, _, done) => {
    resolved.push(host)
    done(
      null,
      (ADDRESSES[host] ?? []).map((address) => ({ address, family: 4 })),
    )
  }
  const pool = new Http2Pool({
    limits: { ...POOL_LIMITS, connectMs: 60_000, answerMs: 60_000, waitMs: 60_000, ...change },
    guard: { allowed: new Set(), isPublic: isPublicAddress, resolve },
    trust: new Map([[server.origin, authority.cert]]),
    context: trustingContext([authority.cert]),
    proxy: {
      host: '127.0.0.1',
      port: proxy.port,
      authorization: 'Basic c2VuZGVyOnNlY3JldA==',
      named: new Set(['fcm.example:443']),
    },
  })
  t.after(async () => {
    await pool.close()
    await server.close()
    proxy.close()
  })
  return { ...proxy, server, taken, resolved, pool }
}

/** A proxy that opens tunnels by CONNECT and notes what it was asked for. */
async function openProxy(targetPort: number, manner: Manner) {
  const asked: string[] = []
  const credentials: string[] = []
  const sockets = new Set<Socket>()
  const proxy = createServer()
  proxy.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  proxy.on('connect', ({ url, headers }: IncomingMessage, socket: Socket) => {
    asked.push(url ?? '')
    credentials.push(headers['proxy-authorization'] ?? '')
    if (manner === 'refuses') socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    if (manner !== 'works') return
    const target = connect({ port: targetPort, host: '127.0.0.1' })
    target.on('error', () => undefined)
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    socket.pipe(target).pipe(socket)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = proxy.address()
  assert.ok(address !== null && typeof address === 'object')
  const close = (): void => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  }
  return { asked, credentials, port: address.port, close }
}

test('a thousand messages go through the proxy, over HTTP/2 and to the address that was checked', async (t) => {
  const { pool, asked, credentials, taken, resolved } = await openProxied(t)
  const answers = await Promise.all(
    Array.from({ length: 1000 }, async (_, index) =>
      pool.send(requestFor('https://push.example', `/${index}`)),
    ),
  )
  for (const answer of answers) assert.equal(answer.kind === 'answered' && answer.status, 201)
  assert.equal(new Set(taken).size, 1000)
  assert.ok(asked.length <= POOL_LIMITS.connectionsMax)
  assert.deepEqual([...new Set(asked)], [`${PUBLIC}:443`], 'the proxy resolves no name of a subscription')
  assert.deepEqual([...new Set(resolved)], ['push.example'])
  assert.deepEqual([...new Set(credentials)], ['Basic c2VuZGVyOnNlY3JldA=='])
  assert.ok(
    taken.every((line) => line.endsWith(' ')),
    'the push service sees no credential of the proxy',
  )
})

test('a provider that the settings name is left to the proxy by its name', async (t) => {
  const { pool, asked, resolved } = await openProxied(t)
  const answer = await pool.send(requestFor('https://fcm.example', '/a'))
  assert.equal(answer.kind, 'answered')
  assert.deepEqual(asked, ['fcm.example:443'])
  assert.deepEqual(resolved, [])
})

test('the address guard holds behind the proxy: a private address is never asked for', async (t) => {
  const { pool, asked } = await openProxied(t)
  for (const host of [
    'inner.example',
    'mixed.example',
    '10.1.2.3',
    '127.0.0.1',
    '169.254.169.254',
    '[::1]',
  ]) {
    assert.equal((await pool.send(requestFor(`https://${host}`, '/a'))).kind, 'blocked', host)
  }
  assert.deepEqual(asked, [])
})

test('the sandbox is reached directly', async (t) => {
  const { server, asked } = await openProxied(t)
  const { host } = new URL(server.origin)
  const direct = new Http2Pool({
    limits: POOL_LIMITS,
    guard: {
      allowed: new Set([host]),
      isPublic: isPublicAddress,
      resolve: (_, __, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    },
    trust: new Map([[server.origin, authority.cert]]),
    proxy: { host: '127.0.0.1', port: 1, authorization: null, named: new Set() },
  })
  t.after(async () => direct.close())
  assert.equal((await direct.send(requestFor(server.origin, '/a'))).kind, 'answered')
  assert.deepEqual(asked, [])
})

test('a proxy that refuses, says nothing or is away leaves the message unsent', async (t) => {
  const refusing = await openProxied(t, 'refuses')
  assert.deepEqual(await refusing.pool.send(requestFor('https://push.example', '/a')), {
    kind: 'unsent',
    reason: 'proxy_407',
  })
  const silent = await openProxied(t, 'silent', { connectMs: 200 })
  assert.deepEqual(await silent.pool.send(requestFor('https://push.example', '/a')), {
    kind: 'unsent',
    reason: 'connect timeout',
  })
  const away = await openProxied(t)
  away.close()
  assert.deepEqual(await away.pool.send(requestFor('https://push.example', '/a')), {
    kind: 'unsent',
    reason: 'ECONNREFUSED',
  })
})

test('a certificate of a private CA is trusted only if the operator says so', async (t) => {
  const { server } = await openProxied(t)
  const { host } = new URL(server.origin)
  const poolWith = (certificates: readonly string[]): Http2Pool => {
    const pool = new Http2Pool({
      limits: POOL_LIMITS,
      guard: {
        allowed: new Set([host]),
        isPublic: isPublicAddress,
        resolve: (_, __, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
      },
      trust: new Map(),
      context: trustingContext(certificates),
    })
    t.after(async () => pool.close())
    return pool
  }
  const request = requestFor(server.origin, '/a')
  assert.equal((await poolWith([authority.cert]).send(request)).kind, 'answered')
  const distrusted = await poolWith([]).send(request)
  assert.equal(distrusted.kind, 'unsent')
  assert.match(
    'reason' in distrusted ? distrusted.reason : '',
    /UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|SELF_SIGNED/,
  )
  const other = makeCertificate(Date.now())
  assert.equal((await poolWith([other.cert]).send(request)).kind, 'unsent')
})
