import { Database } from '../../src/store/db.ts'
import { takeHits } from '../../src/store/rate-limit.ts'
import { PATIENT } from '../support/database/database.ts'

/** One of several processes that ask for places in the same bucket at once; prints how many it was given. */
const [url = '', brandId = '', calls = ''] = process.argv.slice(2)
const database = new Database({ ...PATIENT, url, connectionsMax: 4, name: 'rate-limit caller' })
// The window is longer than any machine takes to start all processes and to answer them.
const window = { limit: 500, windowMs: 20 * 60_000 }
const request = { brandId: Number(brandId), bucket: 'shared', wanted: 1, ...window }
const taken = await Promise.all(
  Array.from({ length: Number(calls) }, async () => takeHits(database, request)),
)
console.log(taken.reduce((sum, { granted }) => sum + granted, 0))
await database.close()
