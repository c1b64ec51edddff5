import { after } from 'node:test'
import { freshDatabase } from '../database/database.ts'
import { openFrozen } from './frozen.ts'

/**
 * A database for the tests of a file, with the freezing of its weeks. `cold` is the same database for readers of events whose rows were
 * dropped. All of it ends with the tests.
 */
export async function openColdDatabase(files?: Parameters<typeof openFrozen>[1]) {
  const fresh = await freshDatabase()
  const frozen = await openFrozen(fresh, files)
  const cold = frozen.openCold()
  after(async () => {
    await cold.close()
    await frozen.close()
    await fresh.drop()
  })
  return { ...fresh, frozen, cold }
}
