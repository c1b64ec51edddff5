import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPublicAddress } from '../../src/domain/values/public-address.ts'
import { Http2Pool } from '../../src/providers/http2-pool.ts'
import { POOL_LIMITS } from '../../src/providers/pool-limits.ts'
import type { ProviderAnswer } from '../../src/providers/transport.ts'
import type { Resolve } from '../../src/runtime/address-guard.ts'
import { openBench } from './support.ts'

const PRIVATE = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '::ffff:168.63.129.16',
  '64:ff9b::a83f:8110',
  '100.100.100.200',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '0:0:0:0:0:ffff:a9fe:a9fe',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '2001:db8::1',
  '2002:7f00:1::',
  '64:ff9b:1::7f00:1',
  '100::1',
  '100:0:0:1::1',
  '200::1',
  '1fff::1',
  '2001::1',
  '2001:20::1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fd20:ce::254',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  'not an address',
]

const PUBLIC = [
  '168.63.129.15',
  '168.63.129.17',
  '2001:200::1',
  '2003::1',
  '3ffe::1',
  '8.8.8.8',
  '17.188.1.1',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700::1111',
  '::ffff:8.8.8.8',
]

test('every private, local or special address is told from a public one, in any spelling', () => {
  for (const address of PRIVATE) assert.equal(isPublicAddress(address), false, address)
  for (const address of PUBLIC) assert.equal(isPublicAddress(address), true, address)
})

async function sendTo(
  origin: string,
  resolve: Resolve,
  allowed: readonly string[] = [],
): Promise<ProviderAnswer> {
  const guard = { allowed: new Set(allowed), isPublic: isPublicAddress, resolve }
  const pool = new Http2Pool({ guard, trust: new Map(), limits: POOL_LIMITS })
  const route = { origin, partition: '' }
  const answer = await pool.send({ route, path: '/', headers: {}, body: '' })
  await pool.close()
  return answer
}

function resolveTo(...addresses: readonly string[]): Resolve {
  return (_host, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
}

test('a name that leads inside is not connected to', async () => {
  for (const address of ['127.0.0.1', '169.254.169.254', '::1', '::ffff:10.0.0.1']) {
    const answer = await sendTo('https://push.example', resolveTo(address))
    assert.equal(answer.kind, 'blocked', address)
  }
})

test('one private address among public ones blocks them all', async () => {
  const answer = await sendTo('https://push.example', resolveTo('8.8.8.8', '10.0.0.1'))
  assert.equal(answer.kind, 'blocked')
})

test('a literal private address is not connected to, however it is written', async () => {
  const literals = ['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '10.0.0.1:8443']
  for (const literal of literals) {
    const answer = await sendTo(`https://${literal}`, resolveTo('8.8.8.8'))
    assert.equal(answer.kind, 'blocked', literal)
  }
})

test('the settings can allow one private host and port, and no other port of it', async (t) => {
  const { sandbox, transport } = await openBench(t)
  const { origin } = sandbox.servers.apns
  const { port } = new URL(origin)
  const request = { path: '/', headers: {}, body: '' }
  assert.equal((await transport.send({ ...request, route: { origin, partition: '' } })).kind, 'answered')
  const answer = await sendTo(`https://localhost:${Number(port) - 1}`, resolveTo('127.0.0.1'), [
    `localhost:${port}`,
  ])
  assert.equal(answer.kind, 'blocked')
})

test('a name that does not resolve is unsent, so that it is tried again', async () => {
  const answer = await sendTo('https://push.example', (_host, _options, done) =>
    done(Object.assign(new Error('not found'), { code: 'ENOTFOUND' })),
  )
  assert.deepEqual(answer, { kind: 'unsent', reason: 'ENOTFOUND' })
})
