import assert from 'node:assert/strict'
import { createECDH } from 'node:crypto'
import { test } from 'node:test'
import { isP256Point } from '../../src/domain/push/p256.ts'
import { browserFamily, endpointFlaw, splitEndpoint } from '../../src/domain/push/push-endpoint.ts'
import { PUSH_SERVICES } from '../../src/rules/platforms.ts'
import { SeededRandom } from '../support/seeded-random.ts'

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
    'https://user@fcm.googleapis.com/x',
    'https://:secret@fcm.googleapis.com/x',
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

test('an endpoint is split as URL splits it, however it is written', (context) => {
  const random = new SeededRandom(7)
  const pick = (pieces: readonly string[]): string => random.pick(pieces) ?? ''
  const path = (pieces: readonly string[]): string =>
    Array.from({ length: Math.floor(random.next() * 6) }, () => pick(pieces)).join('')
  const endpoints = Array.from({ length: 20_000 }, () => [
    `${pick(SCHEMES)}${pick(HOSTS)}${pick(PORTS)}${path(PIECES)}`,
    `https://${pick(PLAIN_HOSTS)}${pick(PLAIN_PORTS)}/x${path(PLAIN_PIECES)}`,
  ]).flat()
  const cases = ['https://fcm.googleapis.com/x?', 'https://fcm.googleapis.com/?', ...endpoints].flatMap(
    (endpoint) => {
      const url = URL.parse(endpoint)
      return url === null
        ? []
        : [{ endpoint, expected: { origin: url.origin, path: url.pathname + url.search } }]
    },
  )
  assert.ok(cases.length > 25_000)
  // An endpoint that is cut by the expression alone is not parsed.
  const parsed = context.mock.method(globalThis, 'URL')
  for (const { endpoint, expected } of cases) assert.deepEqual(splitEndpoint(endpoint), expected, endpoint)
  const plain = cases.length - parsed.mock.callCount()
  assert.ok(plain > 5_000, `${plain} of ${cases.length} were plain`)
  assert.throws(() => splitEndpoint('no endpoint'))
})

const SCHEMES = ['https://', 'https://', 'https://', 'HTTPS://', 'https:/', 'https:\\\\', ' https://']
const HOSTS = [
  'fcm.googleapis.com',
  'a-b.c1.example',
  'localhost',
  'Web.Push.Apple.com',
  '127.0.0.1',
  '127.1',
  '0x7f',
  '1.0xab',
  'xn--bcher-kva.example',
  'bücher.example',
  'host.',
  '[::1]',
  'user:x@push.example',
  'a_b.example',
  '1.2.3.ab',
]
const PORTS = ['', '', '', ':443', ':0443', ':8443', ':44', ':4430', ':']
const PIECES = [
  '/',
  '/x',
  '/w',
  '//',
  '/..',
  '/.',
  '..',
  '.',
  '%2e',
  '%2E%2e/',
  '?',
  '?token=a%2fb',
  '&',
  '=',
  ':APA91b',
  '#part',
  ' ',
  '\t',
  '\n',
  "'",
  '"',
  '<',
  'é',
  '\\',
  '~',
  '+',
  ';',
  '^',
  '|',
]

/** Parts of which most endpoints are cut by the expression alone. */
const PLAIN_HOSTS = [
  'fcm.googleapis.com',
  'a-b.c1.example',
  'localhost',
  'xn--bcher-kva.example',
  '1.2.3.ab',
  'x-.y',
]
const PLAIN_PORTS = ['', '', ':8443', ':44', ':4430', ':443']
const PLAIN_PIECES = [
  '/',
  '/w',
  '//',
  '?',
  '?token=a%2fb',
  '&',
  '=',
  ':APA91b',
  '~',
  '+',
  '-',
  '_',
  '/.',
  '.',
  '?x=',
]

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

test('a coordinate beyond the curve’s prime names no point, although it is congruent to one', () => {
  const p = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n
  const [x, y] = smallPoint(p)
  assert.equal(isP256Point(bytesOf(x, y)), true)
  assert.equal(isP256Point(bytesOf(x + p, y)), false)
  assert.equal(isP256Point(bytesOf(x, p - y)), true)
})

/** The point with the smallest x; p is 3 modulo 4, so a square root is a power. */
function smallPoint(p: bigint): readonly [bigint, bigint] {
  const b = BigInt('0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b')
  for (let x = 0n; ; x += 1n) {
    const square = (((x ** 3n - 3n * x + b) % p) + p) % p
    const y = power(square, (p + 1n) / 4n, p)
    if ((y * y) % p === square) return [x, y]
  }
}

function power(base: bigint, exponent: bigint, p: bigint): bigint {
  let result = 1n
  for (let left = exponent, square = base; left > 0n; left /= 2n, square = (square * square) % p) {
    if (left % 2n === 1n) result = (result * square) % p
  }
  return result
}

function bytesOf(x: bigint, y: bigint): Uint8Array {
  const digits = [x, y].map((part) => part.toString(16).padStart(64, '0'))
  return Uint8Array.from([4, ...Buffer.from(digits.join(''), 'hex')])
}
