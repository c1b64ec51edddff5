import type { Deps } from '../../src/http/deps.ts'
import { type Reply, replySuccess } from '../../src/http/reply.ts'
import type { TenantRequest } from '../../src/http/request.ts'
import type { Route } from '../../src/http/route.ts'
import { newId } from '../../src/runtime/secrets/crypto.ts'

/** The cheapest thing that an API can do with a key and one row: one authenticated request, one body, one row. */
export const ONE_ROW: Route = {
  method: 'POST',
  path: '/bench/row',
  group: 'Bench',
  summary: 'Writes one row',
  scopes: ['push'],
  body: 'json',
  handler: insertOne,
}

/** What the route needs in the database. */
export const ONE_ROW_TABLE = `create table bench_rows (brand_id integer not null, id uuid not null, body jsonb not null,
    primary key (brand_id, id));
  alter table bench_rows enable row level security;
  alter table bench_rows force row level security;
  create policy one_brand on bench_rows to beckon_app
    using (brand_id = (select current_setting('beckon.brand_id')::integer));
  grant insert on bench_rows to beckon_app`

async function insertOne({ database }: Deps, { caller, body }: TenantRequest): Promise<Reply> {
  const id = newId()
  await database.asBrand(caller.brandId, async (tx) =>
    tx.query('insert into bench_rows (brand_id, id, body) values ($1, $2, $3)', [
      caller.brandId,
      id,
      JSON.stringify(body),
    ]),
  )
  return replySuccess({ id })
}
