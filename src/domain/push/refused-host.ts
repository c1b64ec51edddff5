import { REFUSED_HOSTS } from '../../rules/channels.ts'

/** A push service that turns a channel away. The others may take all that it sends. */
export type RefusedHost = {
  readonly host: string
  readonly reason: string
  /** When it began, and when it was last seen. */
  readonly since: number
  readonly at: number
}

/** What was heard of hosts lately: who turned a message away, and who took one. */
export type HostNews = {
  readonly refused: readonly Pick<RefusedHost, 'host' | 'reason'>[]
  readonly accepted: readonly string[]
}

/** The list after some news, newest first and bounded. */
export function foldHostNews(
  known: readonly RefusedHost[],
  { refused, accepted }: HostNews,
  now: number,
): readonly RefusedHost[] {
  const heardOf = new Set([...accepted, ...refused.map(({ host }) => host)])
  const renewed = refused.map(({ host, reason }) => ({
    host,
    reason,
    since: known.find((one) => one.host === host)?.since ?? now,
    at: now,
  }))
  const rest = freshRefusals(known, now).filter(({ host }) => !heardOf.has(host))
  return [...renewed, ...rest].slice(0, REFUSED_HOSTS.max)
}

/** One that nobody heard of for long may have been mended since, or have no browser any more. */
export function freshRefusals(known: readonly RefusedHost[], now: number): readonly RefusedHost[] {
  return known.filter(({ at }) => now - at < REFUSED_HOSTS.keepMs)
}
