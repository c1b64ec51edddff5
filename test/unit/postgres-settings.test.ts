import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planSettings } from '../../src/runtime/postgres/settings.ts'

const GIB = 1024 ** 3

function buffers(gib: number): string | undefined {
  return planSettings({ memoryBytes: gib * GIB })['shared_buffers']
}

test('PostgreSQL takes an eighth of the memory, at least 64 MB and at most 1 GB', () => {
  assert.deepEqual([0.25, 0.5, 1, 4, 8, 64].map(buffers), [
    '64MB',
    '64MB',
    '128MB',
    '512MB',
    '1024MB',
    '1024MB',
  ])
})

test('no amount of memory changes what a power cut needs', () => {
  for (const gib of [0.25, 4, 64]) {
    const { fsync, synchronous_commit, full_page_writes } = planSettings({ memoryBytes: gib * GIB })
    assert.deepEqual([fsync, synchronous_commit, full_page_writes], ['on', 'on', 'on'])
  }
})
