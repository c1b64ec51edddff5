import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numericAt, scalarAt } from '../../src/domain/values/checked.ts'
import { nearestName } from '../../src/domain/values/near-name.ts'
import { isPrivateName, isPublicAddress } from '../../src/domain/values/public-address.ts'
import { retryAfterMs } from '../../src/domain/values/retry-after.ts'
import { chooseByWeight } from '../../src/domain/values/share.ts'
import { splitByWeight } from '../../src/domain/values/split-by-weight.ts'
import { cutAtWord } from '../../src/domain/values/text.ts'
import { wallClock } from '../../src/domain/values/wall-clock.ts'

test('an address is public in both families, also when one is written as the other', () => {
  for (const address of ['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8', '::ffff:808:808'])
    assert.ok(isPublicAddress(address), address)
  for (const address of CLOSED.split(/\s+/)) assert.ok(!isPublicAddress(address), address)
})

const CLOSED = `10.0.0.1 127.0.0.1 169.254.169.254 168.63.129.16 224.0.0.1 255.255.255.255 8.8.8 08.8.8.8 shop.example ::1
 fe80::1 fd00::1 2001:db8::1 2002:a00:1:: 64:ff9b::a00:1 2606:4700::1%eth0 ::ffff:10.0.0.1 ::ffff:a00:1
 0:0:0:0:0:ffff:7f00:1`

test('a name of one word, and one of a private network, is private', () => {
  for (const name of [
    'localhost',
    'LOCALHOST.',
    'intranet',
    'a.localhost',
    'printer.local',
    'x.internal',
    'nas.home.arpa.',
  ])
    assert.ok(isPrivateName(name), name)
  for (const name of ['shop.example', 'local.example', 'mylocal.example.'])
    assert.ok(!isPrivateName(name), name)
})

test('Retry-After is seconds or a date, up to four weeks; a date that has passed asks for nothing', () => {
  const now = Date.parse('2026-05-17T12:00:00Z')
  const inFuture = (ms: number) => new Date(now + ms).toUTCString()
  assert.deepEqual(
    [null, '0', ' 5 ', '99999999', inFuture(0), inFuture(5_000), inFuture(-1_000), 'soon', '-5', '1.5'].map(
      (header) => retryAfterMs(header, now),
    ),
    [null, 0, 5_000, 28 * 86_400_000, 0, 5_000, null, null, null, null],
  )
})

test('a part is filled up to the weight, and a heavier item is a part of its own', () => {
  assert.deepEqual(split([4, 6, 1]), [[4, 6], [1]])
  assert.deepEqual(split([11, 1, 9]), [[11], [1, 9]])
  assert.deepEqual(split([]), [])
})

function split(items: readonly number[]) {
  return splitByWeight(items, (item) => item, 10)
}

test('a weight of zero is never chosen', () => {
  for (let key = 0; key < 100; key += 1) assert.equal(chooseByWeight([0, 2, 0], `key ${key}`), 1)
  assert.throws(() => chooseByWeight([0, 0], 'key'))
})

test('a text is cut at a word that leaves at least half of the room', () => {
  assert.equal(cutAtWord('abcd efghijk', 9), 'abcd…')
  assert.equal(cutAtWord('abc efghijkl', 9), 'abc efgh…')
  assert.equal(cutAtWord('abcd efg hijkl', 9), 'abcd efg…')
  assert.equal(cutAtWord('abc', 1), '…')
  assert.equal(cutAtWord('abc', 0), '')
})

test('two letters are swapped only when both stand in each other’s place', () => {
  assert.equal(nearestName('tilte', ['title']), 'title')
  assert.equal(nearestName('lixel', ['title']), null)
  assert.equal(nearestName('ttxle', ['title']), null)
})

test('a zone that changes within a quarter of an hour is read to the minute', () => {
  // In 2007 St. John's moved its clocks forward at one minute past midnight.
  const clock = wallClock('America/St_Johns')
  const at = (time: string) => new Date(clock(Date.parse(`2007-03-11T${time}Z`))).toISOString().slice(11, 16)
  assert.deepEqual(['00:00', '00:05', '01:05', '01:20'].map(at), ['03:30', '03:35', '03:35', '03:50'])
})

test('a number of a checked document is a number or an int64, and no text', () => {
  assert.deepEqual([numericAt({ a: 1.5 }, 'a'), numericAt({ a: 5n }, 'a')], [1.5, 5n])
  assert.throws(() => numericAt({ a: '5' }, 'a'))
  assert.deepEqual(
    ['text', 5, 5n, true].map((a) => scalarAt({ a }, 'a')),
    ['text', 5, 5n, true],
  )
  assert.throws(() => scalarAt({ a: {} }, 'a'))
})
