import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  isRolledBack,
  ProfileGone,
  retryContended,
  retryRefused,
  retryTransaction,
  type TransactionAttempt,
} from '../../src/store/retry.ts'
import { isAway, isTimedOut, isUnavailable, troubleOf } from '../../src/store/unavailable.ts'

const ATTEMPTS_MAX = 6

function failure(code: string | null, message = 'failed'): Error {
  return Object.assign(new Error(message), code === null ? {} : { code })
}

/** Work that fails so often before it succeeds, and how often it ran. */
function failing(cause: Error, times: number) {
  const seen = { runs: 0 }
  const work = async (): Promise<string> => {
    seen.runs += 1
    if (seen.runs <= times) throw cause
    return 'done'
  }
  return { seen, work }
}

test('a transaction that others were in the way of runs again, six times in all', async (context) => {
  context.mock.method(Math, 'random', () => 0)
  for (const cause of [failure('40P01'), failure('40001'), failure('25006'), new ProfileGone('gone')]) {
    const { seen, work } = failing(cause, ATTEMPTS_MAX - 1)
    assert.equal(await retryContended(work), 'done')
    assert.equal(seen.runs, ATTEMPTS_MAX)
    const hopeless = failing(cause, ATTEMPTS_MAX)
    await assert.rejects(retryContended(hopeless.work), cause)
    assert.equal(hopeless.seen.runs, ATTEMPTS_MAX)
  }
})

test('any other failure is told at once', async () => {
  for (const cause of [failure('23505'), failure(null), failure('ECONNRESET')]) {
    const { seen, work } = failing(cause, 1)
    await assert.rejects(retryContended(work), cause)
    assert.equal(seen.runs, 1)
  }
  const deadlock = failing(failure('40P01'), 1)
  await assert.rejects(retryRefused(deadlock.work))
  assert.equal(deadlock.seen.runs, 1, 'one statement runs again only when the server takes no writes')
})

test('work that stores events runs again, and knows that it does, when the database could not store a value', async () => {
  for (const [code, runs] of [
    ['23514', ATTEMPTS_MAX],
    ['22003', ATTEMPTS_MAX],
    ['23505', 1],
  ] as const) {
    const attempts: TransactionAttempt[] = []
    const work = async (attempt: TransactionAttempt): Promise<void> => {
      attempts.push(attempt)
      throw failure(code)
    }
    await assert.rejects(retryTransaction(work))
    assert.deepEqual(attempts, ['first', ...Array.from({ length: runs - 1 }, () => 'later')])
  }
})

test('work is known to be rolled back only when the server said so', () => {
  assert.deepEqual(
    ['40P01', '23505', '57P01', '08006', '53300', 'ECONNRESET', 'EPIPE', null].map((code) =>
      isRolledBack(failure(code)),
    ),
    [true, true, false, false, false, false, false, false],
  )
  assert.equal(isRolledBack('a text'), false)
})

function kinds(cause: unknown): readonly boolean[] {
  return [isUnavailable(cause), isAway(cause)]
}

test('a database that is away is told from one that is busy, and both from a wrong statement', () => {
  assert.deepEqual(kinds(failure('57P01')), [true, true])
  assert.deepEqual(kinds(failure('08006')), [true, true])
  assert.deepEqual(kinds(failure('53300')), [true, false])
  assert.deepEqual(kinds(failure('55P03')), [true, false])
  assert.deepEqual(kinds(failure('23505', 'Connection terminated')), [false, false])
  assert.deepEqual(kinds(failure(null, 'Connection terminated unexpectedly')), [true, true])
  assert.deepEqual(kinds(failure(null, 'timeout exceeded when trying to connect')), [true, false])
  assert.deepEqual(kinds(failure(null)), [false, false])
  assert.deepEqual(kinds('Connection terminated'), [false, false])
  assert.equal(troubleOf(new Error('outer', { cause: failure('57P01') })), 'away')
  assert.deepEqual(
    ['57P01', '53100', '53300', '57014', '23505'].map((code) => troubleOf(failure(code))),
    ['away', 'full', 'busy', 'busy', null],
  )
  assert.equal(troubleOf(failure(null, 'timeout exceeded when trying to connect')), 'busy')
  assert.equal(troubleOf(new Error('outer')), null)
  assert.deepEqual([isTimedOut(failure('57014')), isTimedOut(failure('57P01'))], [true, false])
})
