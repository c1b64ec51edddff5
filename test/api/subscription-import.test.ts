import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { parseJson } from '../../src/domain/values/json.ts'
import { IMPORT_LIMITS } from '../../src/rules/limits.ts'
import type { TestBrand } from '../support/database/database.ts'
import { type Answer, call, keyHeaders, readAll, startServer } from '../support/processes/server.ts'
import { iosToken, webSubscription } from '../support/subscriptions/devices.ts'

const PATH = '/api/v1/subscriptions/import'

const server = await startServer()
after(server.close)
let brand: TestBrand
test.beforeEach(async () => {
  brand = await server.brand()
})

type Import = { readonly type?: string; readonly query?: string; readonly encoding?: string }

const send = async (
  body: string | Uint8Array,
  { type, query = '', encoding }: Import = {},
): Promise<Answer> =>
  call(server.port, {
    path: PATH + query,
    body,
    headers: {
      ...keyHeaders(brand),
      'content-type': type ?? 'application/x-ndjson',
      ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    },
  })
const linesIn = ({ text }: Answer): readonly unknown[] => text.trimEnd().split('\n').map(parseJson)
const lastOf = (answer: Answer): Readonly<Record<string, unknown>> => Object(linesIn(answer).at(-1))
const reportOf = (answer: Answer): Readonly<Record<string, unknown>> => Object(lastOf(answer)['report'])
const countsOf = (answer: Answer): object => {
  const { rows, imported, updated, refused } = reportOf(answer)
  return { rows, imported, updated, refused }
}
const refusalsOf = (answer: Answer): readonly unknown[] =>
  Array.from(Object(reportOf(answer)['refusals']), (refusal) => {
    const { line, field, code } = Object(refusal)
    return [line, field, code]
  })
const ndjson = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
const listed = async (query = ''): Promise<readonly Readonly<Record<string, unknown>>[]> => {
  const path = `/api/v1/subscriptions${query}`
  const { body } = await call(server.port, { path, headers: keyHeaders(brand) })
  return Array.from(Object(body['subscriptions']), (row) => Object(row))
}

test('200 imports NDJSON of all platforms, and a second time changes nothing', async () => {
  const list = ndjson([
    { platform: 'android', token: 'a', user_id: 'ann', subscription_id: 's1', tags: ['vip'] },
    { platform: 'ios', token: iosToken(), user_id: 'ann', ios_ifv: 'phone' },
    { platform: 'web', subscription: webSubscription(), language: 'de' },
  ])
  const first = await send(list)
  assert.equal(first.status, 200, first.text)
  assert.deepEqual(countsOf(first), { rows: 3, imported: 3, updated: 0, refused: 0 })
  assert.deepEqual([lastOf(first)['message'], lastOf(first)['processed']], ['success', 3])
  const stored = await listed()
  assert.deepEqual(countsOf(await send(list)), { rows: 3, imported: 0, updated: 3, refused: 0 })
  const facts = (rows: typeof stored) => rows.map((row) => ({ ...row, updated_at: null }))
  assert.deepEqual(facts(await listed()), facts(stored))
  assert.equal((await listed('?user_id=ann')).length, 2)
  assert.equal(stored[0]?.['registered_at'], null)
})

test('200 imports CSV by its header, in any order of columns', async () => {
  const { endpoint, keys } = webSubscription()
  const csv = [
    '\uFEFFToken,platform,user_id,tags,endpoint,p256dh,auth,time_zone',
    'abc,android,"ann, the first",vip;beta,,,,Europe/Berlin',
    `,web,,,${endpoint},${keys.p256dh},${keys.auth},`,
    '',
  ].join('\r\n')
  const answer = await send(csv, { type: 'text/csv; charset=utf-8' })
  assert.deepEqual(countsOf(answer), { rows: 2, imported: 2, updated: 0, refused: 0 }, answer.text)
  const [android, web] = await listed()
  assert.deepEqual([android?.['user_id'], android?.['tags']], ['ann, the first', ['vip', 'beta']])
  assert.equal(web?.['platform'], 'web')
})

test('200 gives rows without a platform the one in the address', async () => {
  const answer = await send('token\na\nb\n', { type: 'text/csv', query: '?platform=android' })
  assert.deepEqual(countsOf(answer), { rows: 2, imported: 2, updated: 0, refused: 0 })
})

test('200 refuses bad rows one by one, by line and reason, and keeps the rest', async () => {
  const answer = await send(
    [
      '{"platform":"android","token":"a","subscription_id":"s1"}',
      'not json',
      '',
      '{"platform":"android"}',
      '{"platform":"ios","token":"xyz"}',
      '[1]',
      `{"platform":"ios","token":"${iosToken()}","subscription_id":"s1"}`,
      `{"platform":"android","token":"${'x'.repeat(IMPORT_LIMITS.rowBytesMax)}"}`,
      '{"platform":"android","token":"b"}',
    ].join('\n'),
  )
  assert.deepEqual(countsOf(answer), { rows: 8, imported: 2, updated: 0, refused: 6 })
  assert.deepEqual(refusalsOf(answer), [
    [2, null, 'malformed_json'],
    [4, 'token', 'field_missing'],
    [5, 'token', 'field_invalid'],
    [6, null, 'not_an_object'],
    [7, 'subscription_id', 'field_conflict'],
    [8, null, 'row_too_large'],
  ])
})

test('200 refuses CSV records that do not fit the header, and reads on', async () => {
  const answer = await send('platform,token\nandroid,a,too much\nandroid,b\n', { type: 'text/csv' })
  assert.deepEqual(countsOf(answer), { rows: 2, imported: 1, updated: 0, refused: 1 })
  assert.deepEqual(refusalsOf(answer), [[2, null, 'malformed_csv']])
})

test('200 tells progress after every batch, counts every refusal and shows only so many', async () => {
  const count = IMPORT_LIMITS.batchRows * 2 + 1
  const rows = Array.from({ length: count }, (_, at) =>
    at % 2 === 0 ? { platform: 'android', token: `t${at}` } : { platform: 'android' },
  )
  const answer = await send(gzipSync(ndjson(rows)), { encoding: 'gzip' })
  const refused = IMPORT_LIMITS.batchRows
  assert.deepEqual(countsOf(answer), { rows: count, imported: count - refused, updated: 0, refused })
  assert.equal(refusalsOf(answer).length, IMPORT_LIMITS.refusalsMax)
  const progress = linesIn(answer).flatMap((line) => Object(line)['progress'] ?? [])
  assert.deepEqual(
    progress.map((part) => Object(part)['rows']),
    [IMPORT_LIMITS.batchRows, 2 * IMPORT_LIMITS.batchRows, count],
  )
})

test('200 the last word about a device stands, also within one batch', async () => {
  const rows = ['ann', 'bob', 'cy'].map((user, at) => ({
    platform: 'android',
    token: `t${at}`,
    android_id: 'phone',
    user_id: user,
  }))
  assert.deepEqual(countsOf(await send(ndjson(rows))), { rows: 3, imported: 1, updated: 2, refused: 0 })
  assert.deepEqual(
    (await listed()).map((row) => row['user_id']),
    ['cy'],
  )
})

test('200 an empty list is imported in no time', async () => {
  assert.deepEqual(countsOf(await send('\n')), { rows: 0, imported: 0, updated: 0, refused: 0 })
  assert.deepEqual(countsOf(await send('platform,token\n', { type: 'text/csv' })), {
    rows: 0,
    imported: 0,
    updated: 0,
    refused: 0,
  })
})

test('the last line tells what broke, and what was stored before', async () => {
  const swallowed = 'android,b\n'.repeat(IMPORT_LIMITS.rowBytesMax)
  const open = await send(`platform,token\nandroid,a\nandroid,"never closed${swallowed}`, {
    type: 'text/csv',
  })
  assert.deepEqual([lastOf(open)['code'], lastOf(open)['status_code']], ['malformed_csv', '400'])
  const half = await send(gzipSync(ndjson([{ platform: 'android', token: 'z' }])).subarray(0, 30), {
    encoding: 'gzip',
  })
  assert.deepEqual([lastOf(half)['code'], lastOf(half)['message'] === 'success'], ['malformed_gzip', false])
})

test('a caller who hangs up leaves whole batches', async () => {
  const socket = connect(server.port, '127.0.0.1')
  const rows = Array.from({ length: IMPORT_LIMITS.batchRows + 10 }, (_, at) => ({
    platform: 'android',
    token: `t${at}`,
  }))
  const headers = Object.entries({
    ...keyHeaders(brand),
    host: 'x',
    'content-type': 'application/x-ndjson',
    'content-length': '10000000',
  })
  socket.write(
    `POST ${PATH} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n`,
  )
  socket.write(ndjson(rows))
  const { promise, resolve } = Promise.withResolvers<null>()
  socket.on('data', (bytes) => {
    if (String(bytes).includes('"progress"')) resolve(null)
  })
  await promise
  const ended = readAll(socket)
  socket.destroy()
  await ended
  const counted = await server.deps.database.query<{ count: bigint }>(
    'select count(*) as count from subscriptions where brand_id = $1',
    [brand.brandId],
  )
  assert.equal(counted.rows[0]?.count, BigInt(IMPORT_LIMITS.batchRows))
})

test('200 refuses the rows of a CSV that are not UTF-8, so that no two ids become one', async () => {
  const latin1 = Buffer.from('platform,token,user_id\nandroid,a,ren\u00e9\nandroid,b,bob\n', 'latin1')
  const answer = await send(latin1, { type: 'text/csv' })
  assert.deepEqual(countsOf(answer), { rows: 2, imported: 1, updated: 0, refused: 1 })
  assert.deepEqual(refusalsOf(answer), [[2, null, 'malformed_csv']])
})

test('200 counts a CSV row with stray quotes once', async () => {
  const answer = await send('platform,token\nandroid,x("y")\nandroid,b\n', { type: 'text/csv' })
  assert.deepEqual(countsOf(answer), { rows: 2, imported: 1, updated: 0, refused: 1 })
  assert.deepEqual(refusalsOf(answer), [[2, null, 'malformed_csv']])
})

test('200 names each column that nobody knows once, and imports the rest', async () => {
  const rows = Array.from({ length: IMPORT_LIMITS.batchRows + 1 }, (_, at) => `android,t-${at},red,x`)
  const csv = ['platform,token,colour,Token_Type', ...rows].join('\n')
  const answer = await send(csv, { type: 'text/csv' })
  assert.deepEqual(countsOf(answer), { rows: rows.length, imported: rows.length, updated: 0, refused: 0 })
  const warnings = Array.from(Object(reportOf(answer)['warnings']), (warning) => Object(warning))
  assert.deepEqual(
    warnings.map(({ field, code }) => [field, code]),
    [
      ['colour', 'unknown_field'],
      ['token_type', 'unknown_field'],
    ],
  )
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`field_${at}`, 1]))
  const list = await send(ndjson([{ platform: 'android', token: 'a', ...many }]))
  assert.equal(Object(reportOf(list)['warnings']).length, IMPORT_LIMITS.warningsMax)
})

test('415 for a list in another charset', async () => {
  const { status, body } = await send('platform,token\n', { type: 'text/csv; charset=utf-16' })
  assert.deepEqual([status, body['code']], [415, 'unsupported_list'])
})

test('415 for a list of another kind', async () => {
  const { status, body } = await send('[]', { type: 'application/json' })
  assert.deepEqual([status, body['code']], [415, 'unsupported_list'])
})
