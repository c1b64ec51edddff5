import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { takeDataLock } from '../../src/store/data-lock.ts'
import { withOwner } from '../../src/store/db.ts'
import { emptyDatabase } from '../support/database/database.ts'
import { until } from '../support/until.ts'

let url = ''
let drop = async (): Promise<void> => undefined
before(async () => {
  ;({ url, drop } = await emptyDatabase())
})
after(async () => drop())

test('of two supervisors, the second is told the process of the first', async () => {
  const lock = await takeDataLock(url, { pid: 4711 })
  await assert.rejects(takeDataLock(url, { pid: 4712 }), /in use by another Beckon \(process 4711\)/)
  await lock.release()
})

test('a released lock can be taken at once', async () => {
  const first = await takeDataLock(url, { pid: 1 })
  await first.release()
  const second = await takeDataLock(url, { pid: 2 })
  await second.release()
})

test('a supervisor whose connection dies no longer holds the lock', async () => {
  const first = await takeDataLock(url, { pid: 1 })
  await withOwner(url, async (owner) => {
    const SUPERVISOR = `from pg_stat_activity
      where datname = current_database() and application_name = 'beckon supervisor 1'`
    assert.ok((await owner.query(`select pg_terminate_backend(pid) ${SUPERVISOR}`)).count > 0)
    // On a slow machine the session ends later than a supervisor waits for the lock.
    await until(async () => (await owner.query(`select ${SUPERVISOR}`)).count === 0, {
      what: 'the end of the connection',
    })
  })
  const second = await takeDataLock(url, { pid: 2 })
  await first.release()
  await second.release()
})
