import type { Db } from '../db.ts'

type References = { readonly segmentIds: readonly bigint[]; readonly endpointIds: readonly string[] }

/** The segments and endpoints that a journey refers to and that do not exist, or are archived. */
export async function findMissing(
  tx: Db,
  brandId: number,
  { segmentIds, endpointIds }: References,
): Promise<{ readonly segmentIds: ReadonlySet<bigint>; readonly endpointIds: ReadonlySet<string> }> {
  const { rows: segments } = await tx.query<{ id: bigint }>(
    `select wanted.id from unnest($2::bigint[]) as wanted (id)
     where not exists (select from segments as s where s.brand_id = $1 and s.id = wanted.id and archived_at is null)`,
    [brandId, segmentIds],
  )
  const { rows: endpoints } = await tx.query<{ id: string }>(
    `select wanted.id::text as id from unnest($2::text[]) as wanted (id)
     where not exists (select from webhook_endpoints as e where e.brand_id = $1 and e.id = wanted.id::uuid)`,
    [brandId, endpointIds],
  )
  return {
    segmentIds: new Set(segments.map(({ id }) => id)),
    endpointIds: new Set(endpoints.map(({ id }) => id)),
  }
}
