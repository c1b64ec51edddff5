import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { after, test } from 'node:test'
import { errorCode } from '../../src/runtime/errors.ts'
import { freshDatabase } from '../support/database/database.ts'

const { database, drop } = await freshDatabase()
after(drop)

const { signal } = new AbortController()
const MANY_ROWS = `copy (select repeat('x', 1000) from generate_series(1, 200000)) to stdout`

/** More questions than there are connections, so that none of them may keep its own. */
const QUESTIONS = 12

test('a copy whose reader fails ends its question, and leaves a connection for the next', async () => {
  for (let count = 0; count < QUESTIONS; count += 1) {
    const full = new Writable({ write: (_chunk, _encoding, done) => done(new Error('the disk is full')) })
    await assert.rejects(
      database.asQuestion({ brandId: null, signal }, async (tx) => pipeline(tx.copyOut(MANY_ROWS), full)),
      /the disk is full/,
    )
  }
})

test('a copy that the server ends fails with the reason of the server', async () => {
  const any = new Writable({ write: (_chunk, _encoding, done) => done() })
  await assert.rejects(
    database.asQuestion({ brandId: null, signal }, async (tx) =>
      pipeline(tx.copyOut('copy (select 1 / (5 - n) from generate_series(1, 9) as n) to stdout'), any),
    ),
    (error) => errorCode(error) === '22012',
  )
})
