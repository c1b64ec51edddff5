import assert from 'node:assert/strict'
import { createECDH } from 'node:crypto'
import { test } from 'node:test'
import { isP256Point } from '../../src/domain/push/p256.ts'
import { browserFamily, endpointFlaw } from '../../src/domain/push/push-endpoint.ts'
import { PUSH_SERVICES } from '../../src/rules/platforms.ts'

const NONE: ReadonlySet<string> = new Set()

test('every known push service is allowed, and tells the family of its browsers', () => {
  for (const { host, family } of PUSH_SERVICES) {
    const name = host.startsWith('.') ? `wns2-par02p${host}` : host
    assert.equal(endpointFlaw(`https://${name}/w/?token=x`, NONE), null)
    assert.equal(browserFamily(null, `https://${name}/x`), family)
  }
})

test('what only looks like a push service is refused', () => {
  const lures = [
    'https://fcm.googleapis.com.evil.example/x',
    'https://evil.example/fcm.googleapis.com',
    'https://evilnotify.windows.com/x',
    'https://a.b.notify.windows.com/x',
    'https://.notify.windows.com/x',
    'https://notify.windows.com/x',
    'https://fcm.googleapis.com@evil.example/x',
    'https://user:secret@fcm.googleapis.com/x',
    'https://fcm.googleapis.com:8443/x',
    'http://fcm.googleapis.com/x',
    'https://127.0.0.1/x',
    'https://[::1]/x',
    'https://2130706433/x',
    'https://localhost/x',
    'https://fcm.googleapis.com./x',
    'fcm.googleapis.com/x',
    'https://fcm.googleapis.com/a b',
    '',
  ]
  for (const lure of lures) assert.notEqual(endpointFlaw(lure, NONE), null, lure)
})

test('the settings can add hosts, with a port or without', () => {
  const extra = new Set(['push.example.com', '127.0.0.1:9443'])
  assert.equal(endpointFlaw('https://push.example.com/x', extra), null)
  assert.equal(endpointFlaw('https://127.0.0.1:9443/x', extra), null)
  assert.notEqual(endpointFlaw('https://push.example.com:9443/x', extra), null)
  assert.notEqual(endpointFlaw('https://127.0.0.1/x', extra), null)
})

test('a browser that names itself is believed before its push service', () => {
  assert.equal(browserFamily('Brave', 'https://push.example.com/x'), 'chromium')
  assert.equal(browserFamily('unheard-of', 'https://web.push.apple.com/x'), 'safari')
  assert.equal(browserFamily(null, 'https://push.example.com/x'), null)
})

test('keys that a browser makes are points of the curve, and one bit off they are not', () => {
  for (let round = 0; round < 20; round += 1) {
    const key = createECDH('prime256v1').generateKeys()
    assert.equal(isP256Point(key), true)
    const bent = Uint8Array.from(key)
    bent[40] = (bent[40] ?? 0) ^ 1
    assert.equal(isP256Point(bent), false)
    assert.equal(isP256Point(key.subarray(0, 64)), false)
    assert.equal(isP256Point(Uint8Array.of(2, ...key.subarray(1))), false)
  }
  assert.equal(isP256Point(new Uint8Array(65).fill(255, 1).with(0, 4)), false)
})
