import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BodyBuffer, freeBytes } from '../../src/http/edge/body-buffer.ts'

const MIB = 1024 * 1024

const WHOLE = Buffer.alloc(6 * MIB, Buffer.from(Array.from({ length: 251 }, (_, at) => at)))

/** Adds bytes of the whole in pieces, as a stream brings them. */
function fill(buffer: BodyBuffer, from: number, to: number): void {
  for (let at = from; at < to; at += 65_536) buffer.add(pieceOf(at, Math.min(to, at + 65_536)))
}

/** A piece of its own, because the buffer gives its memory back. */
function pieceOf(from: number, to: number): Buffer {
  return Buffer.from(new Uint8Array(WHOLE.subarray(from, to)).buffer)
}

function isWhole(bytes: Buffer): boolean {
  return bytes.equals(WHOLE.subarray(0, bytes.length))
}

test('a body of unknown size takes at most a mebibyte more than its size, and is never copied', () => {
  for (const size of [MIB, 2 * MIB - 1, 2 * MIB, 2 * MIB + 1, 5 * MIB + 7]) {
    const buffer = new BodyBuffer(60 * MIB)
    fill(buffer, 0, 70_000)
    buffer.expect(null)
    fill(buffer, 70_000, size)
    assert.equal(buffer.size, size)
    const all = buffer.takeAll()
    assert.equal(all.length, size)
    assert.ok(isWhole(all), String(size))
    assert.ok(all.buffer.byteLength <= size + MIB, `${all.buffer.byteLength} for ${size}`)
  }
})

test('a body of known size is kept in a buffer of that size', () => {
  const buffer = new BodyBuffer(60 * MIB)
  fill(buffer, 0, 100_000)
  buffer.expect(165_536)
  fill(buffer, 100_000, 165_536)
  const all = buffer.takeAll()
  assert.ok(isWhole(all))
  assert.deepEqual([all.length, all.buffer.byteLength], [165_536, 165_536])
})

test('bytes beyond the maximum are counted and not kept', () => {
  const buffer = new BodyBuffer(3 * MIB)
  buffer.expect(null)
  fill(buffer, 0, 4 * MIB)
  assert.equal(buffer.size, 4 * MIB)
  assert.equal(buffer.takeAll().buffer.byteLength, 3 * MIB)
})

test('freeing gives a large buffer back, and leaves one alone that shares its memory', () => {
  const large = Buffer.allocUnsafe(MIB)
  const [small, neighbour] = [Buffer.from('one'), Buffer.from('two')]
  for (const one of [large, small]) freeBytes(one)
  assert.deepEqual([large.length, small.toString(), neighbour.toString()], [0, 'one', 'two'])
})

test('the memory of a piece is given back once it is copied, unless others write or read there', () => {
  const buffer = new BodyBuffer(60 * MIB)
  const early = pieceOf(0, 65_536)
  buffer.add(early)
  buffer.expect(null)
  assert.equal(early.length, 0)

  const inflated = Buffer.allocUnsafeSlow(128 * 1024)
  inflated.set(WHOLE.subarray(65_536, 65_536 + 128 * 1024))
  const [first, last] = [inflated.subarray(0, 1_000), inflated.subarray(1_000)]
  buffer.add(first)
  assert.equal(first.length, 1_000)
  buffer.add(last)
  assert.deepEqual([first.length, last.length], [0, 0])

  const ofPool = Buffer.from('one')
  buffer.add(ofPool)
  assert.equal(ofPool.toString(), 'one')
  const all = buffer.takeAll()
  assert.ok(isWhole(all.subarray(0, -3)))
  assert.equal(all.subarray(-3).toString(), 'one')
})
