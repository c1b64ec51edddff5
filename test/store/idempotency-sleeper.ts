import { sha256 } from '../../src/runtime/secrets/crypto.ts'
import { Database } from '../../src/store/db.ts'
import { runOnce } from '../../src/store/idempotency.ts'
import { PATIENT } from '../support/database/database.ts'

/** A process that begins the work, says so, and never ends it: it is there to be killed. */
const [url = '', brand = ''] = process.argv.slice(2)
const brandId = Number(brand)
const database = new Database({ ...PATIENT, url, connectionsMax: 1, name: 'sleeper' })
await database.asSystem(brandId, async (tx) =>
  runOnce(tx, { brandId, key: 'order-7', requestHash: sha256('a'), now: 0 }, async () => {
    await tx.query(
      `insert into sealed_secrets (brand_id, kind, key_id, nonce, ciphertext, updated_at)
       values ($1, 'half', '', '', '', now())`,
      [brandId],
    )
    console.log('begun')
    return new Promise<never>(() => setInterval(() => undefined, 60_000))
  }),
)
