import { REFUSED_HOSTS } from '../../rules/channels.ts'

/** A push host that refuses a channel's messages. Other push hosts may accept all of them. */
export type RefusedHost = {
  readonly host: string
  readonly reason: string
  /** The instants of its first and its latest refusal. */
  readonly since: number
  readonly at: number
}

/** The push hosts that refused a message lately, and those that accepted one. */
export type HostReport = {
  readonly refused: readonly Pick<RefusedHost, 'host' | 'reason'>[]
  readonly accepted: readonly string[]
}

/** The list of refusing hosts after a report, newest first and bounded. */
export function updateRefusedHosts(
  known: readonly RefusedHost[],
  { refused, accepted }: HostReport,
  now: number,
): readonly RefusedHost[] {
  const reported = new Set([...accepted, ...refused.map(({ host }) => host)])
  const renewed = refused.map(({ host, reason }) => ({
    host,
    reason,
    since: known.find((one) => one.host === host)?.since ?? now,
    at: now,
  }))
  const rest = freshRefusals(known, now).filter(({ host }) => !reported.has(host))
  return [...renewed, ...rest].slice(0, REFUSED_HOSTS.max)
}

/** A host without a report for long may accept again, or may have no browser left. */
export function freshRefusals(known: readonly RefusedHost[], now: number): readonly RefusedHost[] {
  return known.filter(({ at }) => now - at < REFUSED_HOSTS.keepMs)
}
