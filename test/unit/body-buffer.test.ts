import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BodyBuffer, freeBytes } from '../../src/http/edge/body-buffer.ts'

const MIB = 1024 * 1024

const WHOLE = Buffer.alloc(6 * MIB, Buffer.from(Array.from({ length: 251 }, (_, at) => at)))

/** Adds the first bytes of the whole in pieces, as a stream brings them. */
function fill(buffer: BodyBuffer, bytes: number): void {
  for (let at = 0; at < bytes; at += 65_536) buffer.add(WHOLE.subarray(at, Math.min(bytes, at + 65_536)))
}

function isWhole(bytes: Buffer): boolean {
  return bytes.equals(WHOLE.subarray(0, bytes.length))
}

test('a body of unknown size takes at most twice its size, whatever the maximum is', () => {
  const buffer = new BodyBuffer(60 * MIB)
  fill(buffer, MIB)
  buffer.expect(2 * buffer.size)
  const first = buffer.takeAll()
  assert.equal(first.buffer.byteLength, 2 * MIB)

  for (const size of [2 * MIB - 1, 2 * MIB, 2 * MIB + 1, 5 * MIB + 7]) {
    const growing = new BodyBuffer(60 * MIB)
    growing.expect(MIB)
    fill(growing, size)
    assert.equal(growing.size, size)
    const all = growing.takeAll()
    assert.equal(all.length, size)
    assert.ok(isWhole(all), String(size))
    assert.ok(all.buffer.byteLength <= 2 * size, `${all.buffer.byteLength} for ${size}`)
  }
})

test('a body of known size is kept in a buffer of that size', () => {
  const buffer = new BodyBuffer(60 * MIB)
  fill(buffer, 100_000)
  buffer.expect(165_536)
  buffer.add(WHOLE.subarray(100_000, 165_536))
  const all = buffer.takeAll()
  assert.ok(isWhole(all))
  assert.deepEqual([all.length, all.buffer.byteLength], [165_536, 165_536])
})

test('bytes beyond the maximum are counted and not kept', () => {
  const buffer = new BodyBuffer(3 * MIB)
  buffer.expect(MIB)
  fill(buffer, 4 * MIB)
  assert.equal(buffer.size, 4 * MIB)
  assert.equal(buffer.takeAll().buffer.byteLength, 3 * MIB)
})

test('freeing gives a large buffer back, and leaves one alone that shares its memory', () => {
  const large = Buffer.allocUnsafe(MIB)
  const [small, neighbour] = [Buffer.from('one'), Buffer.from('two')]
  for (const one of [large, small]) freeBytes(one)
  assert.deepEqual([large.length, small.toString(), neighbour.toString()], [0, 'one', 'two'])
})
