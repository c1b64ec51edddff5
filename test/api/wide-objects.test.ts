import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { jsonBytes } from '../../src/domain/values/json-size.ts'
import { ATTRIBUTE_TYPES, PROFILE_ATTRIBUTES } from '../../src/rules/attributes.ts'
import { EVENT_LIMITS } from '../../src/rules/events.ts'
import { LIMITS } from '../../src/rules/limits.ts'
import { PROFILE_LIMITS } from '../../src/rules/people.ts'
import { entryOf, loadEvents, logEntries } from '../support/events/events.ts'
import { type Answer, call, keyHeaders, startServer } from '../support/processes/server.ts'

const server = await startServer()
const { port, deps } = server
after(server.close)
const brand = await server.brand()

const post = async (path: string, body: object): Promise<Answer> =>
  call(port, { path, body: JSON.stringify(body), headers: keyHeaders(brand) })

/** Different names of printable characters, the shortest first. */
function shortNames(count: number): readonly string[] {
  const letters = Array.from({ length: 0x7f - 0x20 }, (_, at) => String.fromCharCode(0x20 + at)).filter(
    (letter) => letter !== '"' && letter !== '\\',
  )
  const pairs = letters.flatMap((one) => letters.map((other) => one + other))
  const triples = letters.flatMap((one) => pairs.slice(0, 100).map((other) => one + other))
  return ['', ...letters, ...pairs, ...triples].slice(0, count)
}

function wide(members: number): object {
  return Object.fromEntries(shortNames(members).map((name) => [name, 0]))
}

/** The most members that fit in an entry of the largest size. */
function mostMembers(): number {
  let count = 1
  while (jsonBytes(entryOf({ attributes: { o: wide(count + 100) } })) <= EVENT_LIMITS.entryBytesMax)
    count += 100
  return count
}

test('an event with the most members that fit in an entry is stored', async () => {
  const mine = await server.brand()
  const count = mostMembers()
  assert.ok(count > 9_000 && count < EVENT_LIMITS.bodyMembersMax, `${count} members`)
  const { body } = await logEntries(port, mine, [entryOf({ attributes: { o: wide(count) } })])
  assert.deepEqual([body['message'], body['processed']], ['success', 1])
  const [event] = await loadEvents(deps.database, mine)
  assert.equal(Object.keys(Object(Object(event).attributes.o)).length, count)
})

test('an entry that is too large is refused alone, up to the bound of one object', async () => {
  const mine = await server.brand()
  const large = entryOf({ attributes: { o: wide(EVENT_LIMITS.bodyMembersMax) } })
  const partial = await logEntries(port, mine, [entryOf(), large])
  assert.deepEqual([partial.status, partial.body['message'], partial.body['processed']], [200, 'partial', 1])
  const larger = entryOf({ attributes: { o: wide(EVENT_LIMITS.bodyMembersMax + 1) } })
  const { status, body } = await logEntries(port, mine, [entryOf(), larger])
  assert.deepEqual([status, body['code']], [400, 'object_too_wide'])
  assert.match(String(body['message']), /^nv\[1\]\.attributes\.o has more than 10000 members\./)
  assert.equal((await loadEvents(deps.database, mine)).length, 1)
})

function named(kind: string, count: number, value: unknown): readonly (readonly [string, unknown])[] {
  return Array.from({ length: count }, (_, at) => [`${kind}${at}`, value])
}

test('a thousand entries with all the attributes they may have are stored', async () => {
  const mine = await server.brand()
  const attributes = Object.fromEntries([
    ...named('n', ATTRIBUTE_TYPES.number.perEventMax, 1),
    ...named('o', ATTRIBUTE_TYPES.object.perEventMax, { a: 1 }),
    ...named('s', 135, 'x'),
  ])
  const entries = Array.from({ length: EVENT_LIMITS.entriesMax }, () => entryOf({ attributes }))
  const { body } = await logEntries(port, mine, entries)
  assert.deepEqual([body['message'], body['processed']], ['success', EVENT_LIMITS.entriesMax])
})

test('a hundred people with all the attributes they may have, and nulls beside them, are stored', async () => {
  const names = Array.from({ length: PROFILE_ATTRIBUTES.countMax }, (_, at) => [`a${at}`, at] as const)
  const nulls = Array.from({ length: 500 }, (_, at) => [`gone${at}`, null] as const)
  const nv = Array.from({ length: PROFILE_LIMITS.entriesMax }, (_, at) => ({
    userID: `wide-${at}`,
    user_attributes: Object.fromEntries([...names, ...nulls]),
  }))
  const { body } = await post('/api/v1/user/create', { nv })
  assert.deepEqual([body['message'], body['processed']], ['success', PROFILE_LIMITS.entriesMax])
})

const CLOSED = [
  ['/api/v1/campaigns', 'content'],
  ['/api/v1/templates', 'content'],
  ['/api/v1/journeys', 'trigger'],
  ['/api/v1/segments', 'filter'],
  ['/api/v1/android/broadcast/all', 'data'],
] as const
for (const [path, field] of CLOSED)
  test(`${path} refuses an object of more than ${LIMITS.bodyMembersMax} members before it is parsed`, async () => {
    const { status, body } = await post(path, { name: 'x', [field]: wide(LIMITS.bodyMembersMax + 1) })
    assert.deepEqual([status, body['code']], [400, 'object_too_wide'])
    const [first]: readonly unknown[] = Array.isArray(body['errors']) ? body['errors'] : []
    assert.equal(Object(first).field, field)
    const within = await post(path, { name: 'x', [field]: wide(LIMITS.bodyMembersMax) })
    assert.notEqual(within.body['code'], 'object_too_wide')
  })
