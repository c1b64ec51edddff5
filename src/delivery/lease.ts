/** How long a chunk stays with a worker that is not heard of: the longest that a death holds its recipients up. */
export const LEASE_MS = 15_000
