/**
 * A worker of the release before does not know the bits, and would send again to all of them if it took over a chunk.
 * So bits are written from the start on a new database, and an hour after the migration on another: the upgrade is over
 * by then (docs/operating.md).
 */
const IS_PACKING = `(select clock_timestamp() > packing.applied_at + interval '1 hour'
    or packing.applied_at < first.applied_at + interval '1 minute'
  from schema_migrations as packing join schema_migrations as first on first.version = 1 where packing.version = 6)`

/**
 * The condition that accepted recipients of a chunk `c` are stored as bits: those of the first attempt at a large
 * audience, who cannot have an outcome yet. With time zones a recipient can be in two chunks.
 */
export const IS_PACKED = `c.is_bulk and c.attempt = 1 and c.zone is null and ${IS_PACKING}`
