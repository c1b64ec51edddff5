import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { LIMITS } from '../../src/rules/limits.ts'
import { type Answer, call, startServer } from '../support/processes/server.ts'
import { echoRoute } from '../support/reference/routes.ts'

const BYTES_MAX = 4_096

const server = await startServer({
  routes: [
    echoRoute(),
    echoRoute({ path: '/large', bodyBytesMax: 2 * BYTES_MAX }),
    echoRoute({ path: '/huge', bodyBytesMax: 64 * 1024 * 1024 }),
  ],
  options: { bodyBytesMax: BYTES_MAX },
})
after(server.close)

const post = async (body: string | Uint8Array, headers = {}, path = '/echo'): Promise<Answer> =>
  call(server.port, { path, body, headers })

test('200 gives int64 back digit by digit', async () => {
  const text =
    '{"most":9223372036854775807,"least":-9223372036854775808,"odd":9007199254740993,"list":[1,1.5]}'
  const { status, text: reply } = await post(text)
  assert.equal(status, 200)
  assert.ok(reply.includes(text), reply)
})

test('200: of two equal keys the last wins, and __proto__ is a key like any other', async () => {
  const { body, text } = await post(
    '{"a":1,"a":2,"__proto__":{"isAdmin":true},"constructor":{"prototype":{}}}',
  )
  assert.ok(text.includes('{"a":2,"__proto__":{"isAdmin":true},"constructor":{"prototype":{}}}'))
  assert.equal(Reflect.get(Object.prototype, 'isAdmin'), undefined)
  assert.equal(Reflect.get(Object(body['echo']), 'a'), 2)
})

test('200 with a byte order mark, a charset and a +json type', async () => {
  assert.equal((await post('\uFEFF{}')).status, 200)
  for (const type of [
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/x+json',
  ])
    assert.equal((await post('{}', { 'content-type': type })).status, 200, type)
})

const deepest = '['.repeat(LIMITS.bodyDepthMax) + ']'.repeat(LIMITS.bodyDepthMax)

test('200 at the deepest nesting, 400 one level further', async () => {
  assert.equal((await post(deepest)).status, 200)
  const { status, body } = await post(`[${deepest}]`)
  assert.equal(status, 400)
  assert.equal(body['code'], 'body_too_deep')
  assert.equal((await post(`["${'['.repeat(600)}\\"["]`)).status, 200, 'brackets in a text are text')
})

const BOMB_PARTS = 10 * 1024 * 1024

const BOMBS = [
  { name: 'depth', text: '['.repeat(BOMB_PARTS), code: 'body_too_deep' },
  { name: 'lists', text: `[${'[],'.repeat(BOMB_PARTS)}[]]`, code: 'body_too_complex' },
  { name: 'objects', text: `[${'{},'.repeat(BOMB_PARTS)}{}]`, code: 'body_too_complex' },
  { name: 'numbers', text: `[${'1,'.repeat(BOMB_PARTS)}1]`, code: 'body_too_complex' },
] as const
for (const { name, text, code } of BOMBS)
  test(`400 for a few zipped kilobytes of ten million ${name}, before they are parsed`, async () => {
    const bomb = gzipSync(text)
    assert.ok(bomb.length < 64 * 1024, `${bomb.length} bytes`)
    const { status, body } = await post(bomb, { 'content-encoding': 'gzip' }, '/huge')
    assert.deepEqual([status, body['code']], [400, code])
  })

/** A list of objects with that many containers in all, the list included. */
function objects(containers: number): string {
  return `[${'{},'.repeat(containers - 2)}{}]`
}

test('200 at the last object that is allowed, 400 one further', async () => {
  assert.equal((await post(objects(LIMITS.bodyContainersMax), {}, '/huge')).status, 200)
  const { status, body } = await post(objects(LIMITS.bodyContainersMax + 1), {}, '/huge')
  assert.deepEqual([status, body['code']], [400, 'body_too_complex'])
})

/** A body whose object `data` has that many members. */
function members(count: number): string {
  return JSON.stringify({
    data: Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at])),
  })
}

test('200 at the last member that one object may have, 400 with its place one further', async () => {
  const max = LIMITS.bodyMembersMax
  assert.equal((await post(members(max), {}, '/huge')).status, 200)
  const { status, body } = await post(members(max + 1), {}, '/huge')
  assert.deepEqual([status, body['code']], [400, 'object_too_wide'])
  const message = `data has more than ${max} members. Leave some out.`
  assert.deepEqual(body['errors'], [{ field: 'data', code: 'object_too_wide', message }])
})

test('400 names the object that is too wide, also in a large body that is still arriving', async () => {
  const wide = members(LIMITS.bodyMembersMax + 1)
  const text = `{"nv":[{"a":"${'x'.repeat(5 * 1024 * 1024)}"},${wide},${'1,'.repeat(1_000)}1]}`
  for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
    const { status, body } = await post(text, headers, '/huge')
    assert.deepEqual([status, body['code']], [400, 'object_too_wide'])
    assert.match(String(body['message']), /^nv\[1\]\.data has more/)
  }
})

const BROKEN: readonly (readonly [string, string | Uint8Array])[] = [
  ['nothing', ''],
  ['half an object', '{"a":1'],
  ['a comma too many', '{"a":1,}'],
  ['two values', '{} {}'],
  ['bare words', 'hello'],
  ['a lone surrogate in UTF-8', Uint8Array.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ['Latin-1', Uint8Array.from([0x22, 0xe9, 0x22])],
  ['unbalanced brackets', ']]]]'],
]
for (const [name, bytes] of BROKEN)
  test(`400 for ${name}`, async () => {
    const { status, body } = await post(bytes)
    assert.equal(status, 400)
    assert.equal(body['code'], 'malformed_json')
    assert.match(String(body['message']), /^The body is not valid JSON: .+\.$/)
  })

const padded = (bytes: number): string => `"${'x'.repeat(bytes - 2)}"`

test('413 one byte past the limit, 200 at it', async () => {
  assert.equal((await post(padded(BYTES_MAX))).status, 200)
  const { status, body, headers } = await post(padded(BYTES_MAX + 1))
  assert.equal(status, 413)
  assert.equal(body['code'], 'body_too_large')
  assert.equal(headers['connection'], 'close')
})

test('413 without a content-length, once the limit is passed', async () => {
  const headers = { 'transfer-encoding': 'chunked' }
  assert.equal((await post(padded(BYTES_MAX), headers)).status, 200)
  assert.equal((await post(padded(BYTES_MAX + 1), headers)).status, 413)
})

test('413 reaches a caller who is still writing many megabytes', async () => {
  const { status, body } = await post(padded(32 * 1024 * 1024), { 'transfer-encoding': 'chunked' })
  assert.equal(status, 413)
  assert.equal(body['code'], 'body_too_large')
})

test('a row may allow more than the rest', async () => {
  assert.equal((await post(padded(2 * BYTES_MAX), {}, '/large')).status, 200)
  assert.equal((await post(padded(2 * BYTES_MAX + 1), {}, '/large')).status, 413)
})

test('a caller who hangs up while a large body waits for memory leaves none of it taken', async (t) => {
  const all = LIMITS.largeBodiesBytesMax
  const own = await startServer({ routes: [echoRoute({ bodyBytesMax: all })] })
  t.after(own.close)
  const begin = async (): Promise<Socket> => {
    const socket = connect(own.port, '127.0.0.1')
    socket.write(
      `POST /echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${all}\r\n\r\n`,
    )
    const written = Promise.withResolvers<void>()
    socket.write(' '.repeat(LIMITS.bodyBytesMax + 1), () => written.resolve())
    await written.promise
    // Each answer on another connection tells that bytes which came before it were read too.
    for (let look = 0; look < 20; look++) await call(own.port, { path: '/nothing' })
    return socket
  }
  const [first, second] = [await begin(), await begin()]
  second.destroy()
  await call(own.port, { path: '/nothing' })
  first.destroy()
  const { status } = await call(own.port, { path: '/echo', body: padded(2 * LIMITS.bodyBytesMax) })
  assert.equal(status, 200)
})

for (const type of [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json; charset=latin1',
  'json',
  '',
])
  test(`415 for the content type '${type}'`, async () => {
    const { status, body } = await post('{}', { 'content-type': type })
    assert.equal(status, 415)
    assert.equal(body['code'], 'unsupported_media_type')
  })

const GZIP = { 'content-encoding': 'gzip' }

test('200 for a gzip body', async () => {
  const { status, body } = await post(gzipSync('{"a":[1]}'), GZIP)
  assert.equal(status, 200)
  assert.deepEqual(body['echo'], { a: [1] })
})

test('200 for gzip that inflates to the limit, 413 for one byte more, and for a bomb', async () => {
  assert.equal((await post(gzipSync(padded(BYTES_MAX)), GZIP)).status, 200)
  assert.equal((await post(gzipSync(padded(BYTES_MAX + 1)), GZIP)).status, 413)
  const bomb = gzipSync(Buffer.alloc(3_500_000, ' '))
  assert.ok(bomb.length < BYTES_MAX)
  assert.equal((await post(bomb, GZIP)).status, 413)
})

test('400 for gzip that is cut off or none at all', async () => {
  for (const bytes of [gzipSync('{"a":1}').subarray(0, 15), Buffer.from('{"a":1}'), Buffer.alloc(0)]) {
    const { status, body } = await post(bytes, GZIP)
    assert.equal(status, 400)
    assert.equal(body['code'], 'malformed_gzip')
  }
})

for (const encoding of ['br', 'deflate', 'gzip, gzip', 'zstd'])
  test(`415 for the encoding ${encoding}`, async () => {
    const { status, body, headers } = await post('{}', { 'content-encoding': encoding })
    assert.equal(status, 415)
    assert.equal(body['code'], 'unsupported_encoding')
    assert.equal(headers['accept-encoding'], 'gzip')
  })
