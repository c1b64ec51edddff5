/**
 * A worker of the release before does not know the bits of a table, and would send again to all of them, or count them
 * again, if it took over a chunk. So bits are written from the start on a new database, and an hour after the migration
 * on another: the upgrade is over by then (docs/operating.md).
 */
function isPackingSql(migration: string): string {
  return `(select clock_timestamp() > packing.applied_at + interval '1 hour'
    or packing.applied_at < first.applied_at + interval '1 minute'
  from schema_migrations as packing join schema_migrations as first on first.version = 1
  where packing.name = '${migration}')`
}

/** A recipient is in no other chunk of the first attempt. With time zones a recipient can be in two chunks. */
const IS_ALONE = 'c.is_bulk and c.attempt = 1 and c.zone is null'

/** The facts of a chunk that `IS_ALONE` asks for, in the process that settles the chunk. */
export type ChunkKind = { readonly isBulk: boolean; readonly attempt: number; readonly zone: string | null }

/** The same condition, for a chunk that has been read. */
export function canHaveBits({ isBulk, attempt, zone }: ChunkKind): boolean {
  return isBulk && attempt === 1 && zone === null
}

/**
 * The condition that accepted recipients of a chunk `c` are stored as bits: those of the first attempt at a large
 * audience, who cannot have an outcome yet.
 */
export const IS_PACKED = `${IS_ALONE} and ${isPackingSql('accepted-blocks')}`

/**
 * The condition that the groups of devices without a person are stored as bits, for a chunk `c` of a notification `n`. A
 * campaign with a test first has two notifications for one platform, and its holdout is in both.
 */
export const ARE_GROUPS_PACKED = `${IS_ALONE} and n.trial #>> '{phase,kind}' = 'whole' and ${isPackingSql('campaign-blocks')}`
