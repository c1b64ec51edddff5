import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withOwner } from '../../src/store/db.ts'
import { migrate } from '../../src/store/migrate.ts'
import { emptyDatabase } from '../support/database/database.ts'
import { recountTags } from '../support/people/tag-recount.ts'

/** The step that makes the triggers; the next one counts the tags that were there before. */
const TRIGGERS = 4

const SEED = `insert into brands (id, external_id, name, created_at) overriding system value
    values (1, 'one', 'One', now()), (2, 'two', 'Two', now());
  insert into profiles (brand_id, tags, created_at, updated_at)
    select brand, case n % 3 when 0 then '{}'::text[] when 1 then '{vip}' else '{vip,new}' end, now(), now()
    from generate_series(1, 2) as brand cross join generate_series(1, 30) as n;
  insert into subscriptions (brand_id, subscription_id, platform, address, address_hash, tags, state, state_since,
      created_at, registered_at, updated_at)
    select 1, 's' || n, 'android', 't' || n, sha256(('t' || n)::bytea), '{vip,phone}',
      case n % 4 when 0 then 'gone' else 'live' end, now(), now(), now(), now()
    from generate_series(1, 20) as n`

/** The writes of the release before, between the two steps and beside the second. */
const BETWEEN = `update profiles set tags = '{late}' where brand_id = 1 and id % 5 = 0;
  update subscriptions set state = 'gone' where id % 7 = 0;
  delete from profiles where brand_id = 2 and id % 4 = 0`

test('tags of before the triggers are counted once, and so are changes between the two steps', async (context) => {
  const { url, drop } = await emptyDatabase()
  context.after(drop)
  await migrate(url, { upTo: TRIGGERS - 1 })
  await withOwner(url, async (owner) => owner.query(SEED))
  await migrate(url, { upTo: TRIGGERS })
  await withOwner(url, async (owner) => owner.query(BETWEEN))
  await migrate(url)
  await withOwner(url, async (owner) => {
    for (const brandId of [1, 2]) {
      const { rows } = await owner.query<{ tag: string; count: number }>(
        `select tag, sum(count)::integer as count from (
           select tag, count from tag_counts where brand_id = $1
           union all select tag, count from tag_changes where brand_id = $1
         ) as kept group by tag having sum(count) <> 0 order by tag`,
        [brandId],
      )
      const found = new Map(rows.map(({ tag, count }) => [tag, count]))
      assert.ok(found.size >= 2)
      assert.deepEqual(found, await recountTags(owner, brandId))
    }
  })
})
