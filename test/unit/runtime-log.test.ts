import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog, gatherLines } from '../../src/runtime/log.ts'
import { cutKeys } from '../../src/runtime/redact.ts'

function listen() {
  const lines: string[] = []
  const log = createLog({ level: 'info', process: 'test', to: { write: (line) => void lines.push(line) } })
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') }
}

test('a line is one JSON object with its level, time, process, message and fields', () => {
  const { log, last } = listen()
  log.with({ loop: 'plan' }).info('claimed', { items: 3, id: 2n ** 60n })
  const { time, ...rest } = last()
  assert.ok(Number.isFinite(Date.parse(time)))
  assert.deepEqual(rest, {
    level: 'info',
    process: 'test',
    loop: 'plan',
    items: 3,
    id: '1152921504606846976',
    msg: 'claimed',
  })
})

test('a level below the chosen one is silent', () => {
  const { log, lines } = listen()
  log.debug('nothing')
  assert.deepEqual(lines, [])
})

const SECRETS: ReadonlyArray<readonly [string, object]> = [
  ['a device token', { token: 'SECRET' }],
  ['a token inside an object', { delivery: { deviceToken: 'SECRET' } }],
  ['a request body', { body: { title: 'SECRET' } }],
  ['headers', { headers: { 'x-api-key': 'SECRET', authorization: 'Bearer SECRET', cookie: 'SECRET' } }],
  ['a push endpoint', { endpoint: 'https://push.example/SECRET', p256dh: 'SECRET', auth: 'SECRET' }],
  ['a key in a text', { note: 'used bk_secret_SECRET today' }],
  ['a key in an error', { error: new Error('bad key bk_public_SECRET') }],
  ['a password in an address', { url: 'postgres://beckon:SECRET@db/beckon' }],
  ['the cause of an error', { error: new Error('x', { cause: new Error('Bearer SECRET') }) }],
  ['what PostgreSQL tells of a row', { error: Object.assign(new Error('x'), { detail: 'row (SECRET)' }) }],
  ['a private key', { note: '-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----' }],
]

for (const [name, fields] of SECRETS) {
  test(`${name} never reaches a line`, () => {
    const { log, lines } = listen()
    log.info('said', { ...fields })
    assert.equal(lines.length, 1)
    assert.ok(!lines.join('').includes('SECRET'), lines.join(''))
  })
}

test('a key in the message itself is cut out', () => {
  const { log, lines } = listen()
  log.error('no bk_secret_SECRET here')
  assert.match(lines.join(''), /no bk_secret_\[left out\] here/)
})

test('an error is told by name, code, message, stack and cause', () => {
  const { log, last } = listen()
  log.error('failed', { error: Object.assign(new TypeError('x'), { code: 'ECONNRESET' }) })
  const { error } = last()
  assert.equal(error.name, 'TypeError')
  assert.equal(error.code, 'ECONNRESET')
  assert.match(error.stack, /runtime-log\.test\.ts/)
})

test('what hides a key leaves the rest of a sentence as it was', () => {
  assert.equal(cutKeys('at 12:30 the user@host said https://a/b'), 'at 12:30 the user@host said https://a/b')
})

test('lines of level info are gathered; a warning and the end of the process write them at once', () => {
  const writes: string[] = []
  const exits: (() => void)[] = []
  const to = gatherLines((text) => writes.push(text), { once: (_, listener) => exits.push(listener) })
  const log = createLog({ level: 'info', process: 'test', to })
  log.info('one')
  log.info('two')
  assert.deepEqual(writes, [])
  log.warn('three')
  assert.equal(writes.length, 1)
  assert.match(writes.join(''), /"one".*\n.*"two".*\n.*"three"/)
  log.info('four')
  for (const leave of exits) leave()
  assert.equal(writes.length, 2)
  assert.match(writes.join(''), /"msg":"four"/)
  for (let line = 0; line < 1_000; line += 1) log.info('many')
  assert.ok(writes.length > 5, 'what is gathered has a bound')
})
