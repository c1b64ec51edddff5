import type { Arrival, Inbox } from './inbox.ts'

/** What `GET /sandbox/inbox` answers: the newest arrivals, oldest first, and how many there were in all. */
export type InboxPage = { readonly total: number; readonly arrivals: readonly Arrival[] }

/** `query` may name a `platform`, an `address` and a `limit`; what makes no sense is not a filter. */
export function inboxPage(inbox: Inbox, query: URLSearchParams): InboxPage {
  const [platform, address] = [query.get('platform'), query.get('address')]
  const wanted = Number(query.get('limit') ?? LIMIT_DEFAULT)
  const limit = Number.isInteger(wanted) && wanted > 0 ? Math.min(wanted, LIMIT_MAX) : LIMIT_DEFAULT
  const arrivals = inbox
    .newest()
    .filter((arrival) => platform === null || arrival.platform === platform)
    .filter((arrival) => address === null || arrival.address === address)
  return { total: inbox.total, arrivals: arrivals.slice(-limit) }
}

const LIMIT_DEFAULT = 100
const LIMIT_MAX = 10_000
