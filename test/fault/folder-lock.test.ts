import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { saveSandboxFile } from '../../src/delivery/sandbox/file.ts'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { freshDatabase } from '../support/database/database.ts'
import { freshFolder, runBeckon, startBeckon } from '../support/processes/beckon.ts'
import { sandboxAccess } from '../support/push/engine.ts'

test('a second Beckon on a data folder is refused, whatever its database, and takes nothing away; a killed one leaves no lock', async (context) => {
  const folder = await freshFolder(context)
  const [first, second] = [await freshDatabase(), await freshDatabase()]
  context.after(async () => Promise.all([first.drop(), second.drop()]))
  const environment = { BECKON_DATA_DIR: folder, BECKON_SANDBOX: 'on' }
  const beckon = await startBeckon(context, { ...environment, DATABASE_URL: first.url })
  const before = await readFile(join(folder, 'sandbox.json'), 'utf8')

  for (const DATABASE_URL of [second.url, '']) {
    const { code, stderr } = await runBeckon(['start'], { ...environment, DATABASE_URL, PORT: '0' })
    assert.equal(code, 1)
    assert.match(
      stderr,
      new RegExp(`in use by another Beckon \\(process ${beckon.pid}\\): stop that one first`),
    )
  }
  assert.equal(await readFile(join(folder, 'sandbox.json'), 'utf8'), before)

  const PORT = new URL(beckon.url).port
  const doctor = async () => runBeckon(['doctor'], { ...environment, DATABASE_URL: first.url, PORT })
  const well = await doctor()
  assert.match(well.stdout, /^good +processes +\S+ and the sandbox answer/m)

  const gone = await startSandbox()
  await saveSandboxFile(folder, sandboxAccess(gone))
  await gone.close()
  const ill = await doctor()
  assert.equal(ill.code, 1)
  assert.match(ill.stdout, /^bad +processes +the sandbox does not answer/m)

  // A Beckon that is killed leaves no lock behind.
  beckon.send('SIGKILL')
  await beckon.ended
  const next = await startBeckon(context, { ...environment, DATABASE_URL: first.url })
  next.send('SIGTERM')
  assert.deepEqual(await next.ended, { code: 0, signal: null })
  assert.match((await doctor()).stdout, /^warn +processes +no Beckon runs here/m)
})
