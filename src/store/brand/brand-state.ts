/**
 * The condition on a row of `brands` that its brand is live, or deleted and can be restored: nothing of it may be lost.
 * A live brand alone is `deleted_at is null`.
 */
export const IS_KEPT = '(brands.deleted_at is null or brands.restorable_until is not null)'

/**
 * The brands for which nothing runs: those that are deleted, whether they can be restored or not. A statement compares
 * with `<> all`. The list does not depend on the row, so PostgreSQL makes it once, from an index of these brands alone.
 */
export const STOPPED_BRANDS = '(array(select id from brands where deleted_at is not null))'
