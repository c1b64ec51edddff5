import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAnswerHead } from '../../src/providers/http2/answer-head.ts'
import { readHuffman } from '../../src/providers/http2/huffman.ts'

/** `:status: 200`, the eighth entry of the static table. */
const STATUS_200 = 0x88

function text(value: string): readonly number[] {
  return [value.length, ...Buffer.from(value)]
}

function read(...bytes: readonly number[]) {
  // Bytes of other frames stand before and behind the block.
  const all = Buffer.from([0x88, ...bytes, 0x88])
  return readAnswerHead({ bytes: all, start: 1, end: all.length - 1 })
}

test('a literal field with a new name is read in each of its forms', () => {
  for (const form of [0x40, 0x00, 0x10]) {
    const head = read(STATUS_200, form, ...text('retry-after'), ...text('5'))
    assert.deepEqual(head, { status: 200, retryAfter: '5' })
  }
})

test('the table may be made smaller to nothing, and not larger', () => {
  assert.equal(read(0x20, STATUS_200).status, 200)
  assert.throws(() => read(0x21, STATUS_200), /larger than allowed/)
})

test('the static table ends with its sixty-first entry and has none before the first', () => {
  assert.equal(read(0x80 | 61, STATUS_200).status, 200)
  assert.throws(() => read(0x80 | 62), /no such entry/)
  assert.throws(() => read(0x80), /no such entry/)
})

test('a number has up to three more bytes', () => {
  const chars = 127 + 2 ** 14
  const name = Array.from({ length: chars }, () => 0x78)
  assert.equal(read(0x00, 0x7f, 0x80, 0x80, 0x01, ...name, ...text(''), STATUS_200).status, 200)
  assert.throws(() => read(0x00, 0x7f, 0x80, 0x80, 0x80, 0x01), /too large/)
  assert.throws(() => read(0x00, 0x7f, 0x80), /breaks off/)
  assert.throws(() => read(0x00, ...text('name'), 5, 0x78), /breaks off/)
})

/** `:status` and `retry-after` in Huffman's code (RFC 7541, appendix B), as most servers write a name. */
const SQUEEZED = { ':status': 'b8848d36a3', 'retry-after': 'b0a9b3d2c39525b3' } as const

test('a name in the code of Huffman is known, and one of the same length is not', () => {
  for (const [name, hex] of Object.entries(SQUEEZED)) {
    const bytes = Buffer.from(hex, 'hex')
    assert.equal(readHuffman(bytes), name)
  }
  const [status, retryAfter] = Object.values(SQUEEZED).map((hex) => Buffer.from(hex, 'hex'))
  const head = read(
    0x00,
    0x85,
    ...(status ?? []),
    ...text('503'),
    0x00,
    0x88,
    ...(retryAfter ?? []),
    ...text('7'),
  )
  assert.deepEqual(head, { status: 503, retryAfter: '7' })
  // `apns-id` has as many bytes as `:status`.
  const other = Buffer.from('1d57a4b16f', 'hex')
  assert.deepEqual(read(STATUS_200, 0x00, 0x85, ...other, ...text('503')), { status: 200, retryAfter: null })
})
