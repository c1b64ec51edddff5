import assert from 'node:assert/strict'
import { deliveryId } from '../../../src/runtime/secrets/receipt-token.ts'
import type { InboxMessage } from '../../../src/sandbox/inbox.ts'
import type { Db } from '../../../src/store/db.ts'
import { type AcknowledgedPush, numberIn } from './callers.ts'

/** A kill: its target and its time. */
export type Kill = { readonly target: string; readonly at: number }

export type ArrivalEvidence = {
  readonly arrivals: readonly InboxMessage[]
  readonly kills: readonly Kill[]
  readonly acknowledged: readonly AcknowledgedPush[]
  /** The longest delay of the event loop of the providers: a message may have been noted so much later than it came. */
  readonly delayMsMax: number
}

export type ArrivalCounts = { readonly arrivals: number; readonly repeats: number }

/**
 * Compares the messages at the providers with the acknowledged pushes and the stored deliveries, when all work is done:
 * no recipient is missing or early, the counts equal the rows, and every repeat is explained by a kill before the first
 * message was stored.
 */
export async function checkArrivals(
  db: Db,
  { arrivals, kills, acknowledged, delayMsMax }: ArrivalEvidence,
): Promise<ArrivalCounts> {
  const notifications = await loadNotifications(db)
  const deliveries = await loadDeliveries(db)
  const byNumber = Map.groupBy(arrivals, ({ payload }) => numberIn(payload))
  const states = new Map(notifications.map(({ id, state }) => [id, state]))
  for (const push of acknowledged) checkPush(push, states.get(push.id), byNumber.get(push.number) ?? [])
  checkCounts(notifications, deliveries)
  for (const [number, same] of byNumber) {
    const devices = new Set(same.map(({ address }) => address))
    assert.equal(
      new Set(same.map(identityOf)).size,
      devices.size,
      `call ${number}: a repeat replaces the first`,
    )
  }
  const inSocketsMs = IN_SOCKETS_MS + delayMsMax
  return checkRepeats(Map.groupBy(arrivals, identityOf), deliveries, { kills, inSocketsMs })
}

/** A cancelled push may have reached some recipients; the counts say how many. */
function checkPush(
  push: AcknowledgedPush,
  state: string | undefined,
  arrivals: readonly InboxMessage[],
): void {
  const { number, id, wanted, sendAt, cancel } = push
  const states = { none: ['sent'], tried: ['sent', 'cancelled'], acknowledged: ['cancelled'] }[cancel]
  assert.ok(states.includes(state ?? 'lost'), `call ${number}: ${id} is ${state ?? 'lost'}`)
  const reached = new Set(arrivals.map(({ address }) => address))
  const missing = wanted.filter((address) => !reached.has(address))
  if (state === 'sent') assert.deepEqual(missing, [], `call ${number}: these did not get it`)
  assert.ok(reached.isSubsetOf(new Set(wanted)), `call ${number} reached others`)
  for (const { arrivedAt } of arrivals)
    assert.ok(sendAt === null || arrivedAt >= sendAt, `call ${number} was early`)
}

function checkCounts(notifications: readonly Notification[], deliveries: readonly Delivery[]): void {
  const rows = Map.groupBy(deliveries, ({ notification }) => notification)
  for (const { id, audience, accepted, cancelled, pending } of notifications) {
    assert.deepEqual([accepted + cancelled, pending], [audience, 0], id)
    const written = (rows.get(id) ?? []).filter(({ state }) => state === 'accepted')
    assert.equal(written.length, accepted, `${id} counts what its rows say`)
  }
}

function checkRepeats(
  identities: ReadonlyMap<string, readonly InboxMessage[]>,
  deliveries: readonly Delivery[],
  { kills, inSocketsMs }: { readonly kills: readonly Kill[]; readonly inSocketsMs: number },
): ArrivalCounts {
  const writtenAt = new Map(deliveries.map(({ identity, at }) => [identity, at]))
  // An API process has no messages in flight.
  const killTimes = kills.filter(({ target }) => target !== 'api').map(({ at }) => at)
  const counts = { arrivals: 0, repeats: 0 }
  for (const [identity, arrivals] of identities) {
    const times = arrivals.map(({ arrivedAt }) => arrivedAt)
    const lateMs = (times.at(-1) ?? 0) - (writtenAt.get(identity) ?? Number.POSITIVE_INFINITY)
    assert.ok(lateMs <= CLOCK_MS, `${identity} was stored and came again ${lateMs} ms later`)
    for (const [from, to] of pairsOf(times)) {
      const isExplained = killTimes.some((at) => from - inSocketsMs <= at && at <= to)
      assert.ok(isExplained, `${identity} came again ${to - from} ms later, and nothing was killed`)
    }
    counts.arrivals += times.length
    counts.repeats += times.length - 1
  }
  return counts
}

/** Each time with the next one. */
function pairsOf(times: readonly number[]): readonly (readonly [number, number])[] {
  return times.slice(1).map((time, index) => [times[index] ?? time, time])
}

/** A message that a killed worker had sent may arrive at the provider this much later, if nothing delays the provider. */
const IN_SOCKETS_MS = 1_000
/** The rounding difference between two readings of the machine's clock. */
const CLOCK_MS = 2

type Notification = {
  readonly id: string
  readonly state: string
  readonly audience: number
  readonly accepted: number
  readonly cancelled: number
  readonly pending: number
}

async function loadNotifications(db: Db): Promise<readonly Notification[]> {
  const { rows } = await db.query<Notification>(
    `select id::text, state, audience, accepted, cancelled, pending from notifications`,
  )
  return rows
}

type Delivery = {
  readonly notification: string
  readonly identity: string
  readonly state: string
  readonly at: number
}

async function loadDeliveries(db: Db): Promise<readonly Delivery[]> {
  const { rows } = await db.query<
    Omit<Delivery, 'identity'> & { readonly subscriptionId: bigint; readonly address: string }
  >(
    `select d.notification_id::text as notification, d.subscription_id as "subscriptionId", s.address, d.state, d.at
     from all_deliveries as d join subscriptions as s on s.brand_id = d.brand_id and s.id = d.subscription_id`,
  )
  return rows.map(({ subscriptionId, address, ...row }) => {
    const collapseId = deliveryId({ notificationId: row.notification, subscriptionId })
    return { ...row, identity: identityOf({ address, collapseId }) }
  })
}

/** A device and its collapse id: a later message with the same identity replaces this one. */
function identityOf({ address, collapseId }: Pick<InboxMessage, 'address' | 'collapseId'>): string {
  return `${address} ${collapseId}`
}
