/** Instants inside Beckon are milliseconds since 1970 in UTC. Tests bring a clock of their own. */
export type Clock = { readonly now: () => number }

export const systemClock: Clock = { now: () => Date.now() }
