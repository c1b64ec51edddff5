import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePidFile } from '../../src/runtime/postgres/pid-file.ts'

const WHOLE = '4711\n/data/postgres\n1763179101\n35353\n\n127.0.0.1\n  1234567 0\nready   \n'

test('a whole pid file tells the process, the port and the state', () => {
  assert.deepEqual(parsePidFile(WHOLE), { pid: 4711, port: 35_353, status: 'ready' })
})

test('a pid file that is still being written tells what it has', () => {
  assert.deepEqual(parsePidFile('4711\n/data/postgres\n1763179101\n'), {
    pid: 4711,
    port: null,
    status: null,
  })
})

for (const [text, what] of [
  ['', 'empty'],
  ['\0\0\0\0', 'zeros after a power cut'],
  ['-12\n', 'a standalone backend'],
  ['0\n', 'no process'],
] as const) {
  test(`a pid file that names no server is none: ${what}`, () => {
    assert.equal(parsePidFile(text), null)
  })
}
