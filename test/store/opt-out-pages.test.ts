import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { listOptOuts } from '../../src/store/preferences/opt-out-list.ts'
import { freshDatabase } from '../support/database/database.ts'
import { rowsRead } from '../support/database/rows-read.ts'

const { database, brand, drop } = await freshDatabase()
after(drop)

const HOLDERS = 3_000
const PAGE = 20
/** Each of a page's rows is looked up a few times at most. */
const ROWS_MAX = 5 * PAGE
const START = Date.UTC(2026, 0, 1)

/** People, or devices, who opted out one second after the other. */
async function seed(brandId: number, table: 'profiles' | 'subscriptions'): Promise<void> {
  const columns = {
    profiles: '',
    subscriptions: ', subscription_id, platform, address, address_hash, state_since, registered_at',
  }[table]
  const values = {
    profiles: '',
    subscriptions: `, 's' || n, 'android', 't' || n, sha256(n::text::bytea), now(), now()`,
  }[table]
  await database.query(
    `insert into ${table} (brand_id, opt_outs, created_at, updated_at${columns})
     select $1, jsonb_build_object('offers', to_char(timestamp '2026-01-01' + n * interval '1 second',
       'YYYY-MM-DD"T"HH24:MI:SS".000Z"')), now(), now()${values} from generate_series(1, $2::integer) as n`,
    [brandId, HOLDERS],
  )
}

for (const table of ['profiles', 'subscriptions'] as const) {
  test(`a page of opt-outs reads about as many ${table} as it shows, and not all`, async () => {
    const { brandId } = await brand()
    await seed(brandId, table)
    for (const second of [null, 2_900, 1_500, 100]) {
      const mark = second === null ? null : { since: START + second * 1_000, key: 'a' }
      const query = { brandId, from: null, topic: null, after: mark, limit: PAGE }
      await database.asLookUp(null, async (tx) => {
        const before = await rowsRead(tx, table)
        const { rows } = await listOptOuts(tx, query)
        const newest = second === null ? HOLDERS : second - 1
        assert.deepEqual(
          rows.map(({ since }) => (since - START) / 1_000),
          Array.from({ length: PAGE }, (_, at) => newest - at),
        )
        const read = (await rowsRead(tx, table)) - before
        assert.ok(read <= ROWS_MAX, `${read} rows read after ${second}`)
      })
    }
  })
}
