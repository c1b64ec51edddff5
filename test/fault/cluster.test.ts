import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { folderOwner, takeFolderLock } from '../../src/runtime/folder-lock.ts'
import { fieldsOf } from '../cluster/fields.ts'
import { LAB, missing } from '../cluster/lab/folder.ts'
import { HUB, makeNetwork, namespaceOf, removeNetwork } from '../cluster/lab/network.ts'
import { EXPECTED_STATUSES } from '../cluster/round.ts'

const SHORT = join(import.meta.dirname, '../cluster/short.ts')

/** Never downloads anything: without the lab it says why it does not run. */
const why = missing() ?? (folderOwner(LAB) === null ? null : 'the cluster lab is in use')

test('a killed postmaster and a lost machine lose nothing and double nothing', {
  skip: why ?? false,
}, async (context) => {
  const lock = takeFolderLock(LAB, { pid: process.pid })
  await makeNetwork()
  context.after(async () => {
    await removeNetwork()
    lock.release()
  })
  // All machines end with this process.
  const enter = ['--pdeathsig', 'KILL', 'ip', 'netns', 'exec', namespaceOf(HUB), process.execPath, SHORT]
  const { stdout } = await promisify(execFile)('setpriv', enter)
  const { acknowledged, byLibrary, answers, readers, wrong, statuses, ...counts } = fieldsOf(
    JSON.parse(stdout.trim().split('\n').at(-1) ?? ''),
  )
  assert.ok(Number(acknowledged) > 150)
  assert.ok(Number(byLibrary) > 0, 'calls of the client library')
  // Whether a standby or the primary answered them is left to chance.
  assert.ok(Number(answers) > 0, `answers to questions, and ${String(readers)} sessions on the standby`)
  assert.deepEqual(wrong, [])
  assert.deepEqual([...new Set(Object.values(counts))], [0], JSON.stringify(counts))
  assert.ok(Array.isArray(statuses))
  const strangers = statuses.filter((status) => !EXPECTED_STATUSES.includes(Number(status)))
  assert.deepEqual(strangers, [], 'callers see 503 and nothing worse')
})
