import type { OptOuts } from '../../domain/preferences/opt-outs.ts'
import type { QuietHours } from '../../domain/preferences/quiet-hours.ts'
import { type Withheld, withhold } from '../../domain/preferences/withholding.ts'
import type { SeenReason } from '../../domain/push/explanation.ts'
import { unreachable } from '../../domain/unreachable.ts'
import { encodeJson } from '../../domain/values/json.ts'
import { localDay } from '../../domain/values/time-zone.ts'
import { FREQUENCY_REASON } from '../../rules/push.ts'
import { QUIET_REASON } from '../../rules/topics.ts'
import type { Db } from '../db.ts'
import type { ChunkRef } from './chunks.ts'
import { recipientName, takeFrequency } from './frequency.ts'
import { loadMoment } from './planning.ts'
import { APPLICABLE_QUIET_HOURS, IS_STOPPABLE } from './quiet-hours.ts'
import type { Recipient } from './recipient.ts'
import { settleChunks } from './settle.ts'
import type { RecipientOutcome } from './settlement.ts'

/** The facts of a chunk that may keep its message from some recipients; `WITHHOLDING_COLUMNS` selects them. */
export type WithholdingChunk = {
  readonly topic: string | null
  readonly expiresAt: number
  /** Whether opt-outs concern this notification, and the brand has any. */
  readonly hasOptOuts: boolean
  /** The brand's quiet hours, if they hold for this notification. */
  readonly quietHours: QuietHours | null
  /** The frequency cap of a person for one day, if it applies to this notification. */
  readonly cap: number | null
}

/**
 * The columns of a chunk `c` of a notification `n`. A push to one subscriber without a topic is somebody's own business,
 * so nothing stops it.
 */
export const WITHHOLDING_COLUMNS = `n.topic, c.expires_at as "expiresAt",
  ${IS_STOPPABLE} and brands.has_opt_outs
    and (n.mode <> 'send' or n.journey_id is not null or n.topic is not null) as "hasOptOuts",
  ${APPLICABLE_QUIET_HOURS} as "quietHours",
  case when n.is_capped then brands.frequency_cap end as cap`

/** An opened chunk with its recipients. */
export type Audience = ChunkRef &
  WithholdingChunk & {
    readonly notification: string
    readonly brandZone: string
    readonly recipients: readonly Recipient[]
  }

/**
 * Settles the recipients who get nothing now, and gives their names: people and devices that opted out, recipients in
 * their quiet hours, and people who have reached the frequency cap, in this order.
 */
export async function settleWithheld(
  tx: Db,
  audiences: readonly Audience[],
  given: { readonly now?: number },
): Promise<ReadonlySet<string>> {
  const concerned = audiences.filter(
    ({ hasOptOuts, quietHours, cap }) => hasOptOuts || quietHours !== null || cap !== null,
  )
  if (concerned.length === 0) return new Set()
  const now = given.now ?? (await loadMoment(tx))
  const optOuts = await loadOptOuts(tx, concerned)
  const kept = new Map<string, KeptBack>()
  for (const audience of concerned) {
    for (const [name, withheld] of withheldIn(audience, { optOuts, now })) kept.set(name, withheld)
  }
  for (const [name, capped] of await takeCaps(tx, concerned, { kept, now })) kept.set(name, capped)
  const settlements = concerned.flatMap((chunk) => {
    const own = chunk.recipients.flatMap(({ id }) => kept.get(withheldName(chunk, id)) ?? [])
    return own.length === 0 ? [] : [{ chunk, own }]
  })
  if (settlements.length > 0) {
    await settleChunks(
      tx,
      settlements.map(({ chunk, own }) => ({
        chunk,
        outcomes: own.map(({ outcome }) => outcome),
        textsCut: 0,
      })),
    )
    await rememberSeen(tx, settlements)
  }
  return new Set(kept.keys())
}

/** A recipient who gets nothing now, and what `explain` tells of the reason later; null when that is stored elsewhere. */
type KeptBack = { readonly outcome: RecipientOutcome; readonly seen: SeenReason | null }

/** Few messages are kept back, so the statement that settles all others does not carry what was seen. */
async function rememberSeen(
  tx: Db,
  settled: readonly { readonly chunk: Audience; readonly own: readonly KeptBack[] }[],
): Promise<void> {
  const rows = settled.flatMap(({ chunk: { brandId, notification }, own }) =>
    own.flatMap(({ outcome, seen }) => (seen === null ? [] : [{ brandId, notification, outcome, seen }])),
  )
  if (rows.length === 0) return
  await tx.query(REMEMBER_SEEN, [
    rows.map(({ brandId }) => brandId),
    rows.map(({ notification }) => notification),
    rows.map(({ outcome }) => outcome.recipientId),
    rows.map(({ outcome }) => outcome.reason),
    rows.map(({ seen }) => encodeJson(seen)),
  ])
}

const REMEMBER_SEEN = {
  name: 'remember_seen',
  text: `update deliveries as d set seen = given.seen
    from unnest($1::integer[], $2::uuid[], $3::bigint[], $4::text[], $5::jsonb[])
      as given (brand_id, notification_id, subscription_id, reason, seen)
    where d.brand_id = given.brand_id and d.notification_id = given.notification_id
      and d.subscription_id = given.subscription_id and d.reason = given.reason`,
}

/** Names a recipient among those of several notifications. */
export function withheldName(
  { brandId, notification }: Pick<Audience, 'brandId' | 'notification'>,
  subscriptionId: bigint,
): string {
  return recipientName({ brandId, notification, subscriptionId })
}

type HeldOptOuts = ReadonlyMap<string, readonly OptOuts[]>

/** The opt-outs of the recipients, by name. Few have any, and only those are found. */
async function loadOptOuts(tx: Db, audiences: readonly Audience[]): Promise<HeldOptOuts> {
  const asked = audiences
    .filter(({ hasOptOuts }) => hasOptOuts)
    .flatMap((audience) => audience.recipients.map(({ id }) => ({ audience, id })))
  if (asked.length === 0) return new Map()
  const { rows } = await tx.query<{ place: number; device: OptOuts; person: OptOuts | null }>(OPT_OUTS, [
    asked.map(({ audience }) => audience.brandId),
    asked.map(({ id }) => id),
  ])
  return new Map(
    rows.flatMap(({ place, device, person }) => {
      const one = asked[place - 1]
      const found = person === null ? [device] : [person, device]
      return one === undefined ? [] : [[withheldName(one.audience, one.id), found] as const]
    }),
  )
}

const OPT_OUTS = {
  name: 'load_opt_outs',
  text: `select asked.place::integer, s.opt_outs as device, p.opt_outs as person
    from unnest($1::integer[], $2::bigint[]) with ordinality as asked (brand_id, id, place)
    cross join lateral (
      select opt_outs, profile_id from subscriptions where brand_id = asked.brand_id and id = asked.id offset 0
    ) as s
    left join lateral (
      select opt_outs from profiles where brand_id = asked.brand_id and id = s.profile_id and opt_outs <> '{}' offset 0
    ) as p on true
    where s.opt_outs <> '{}' or p.opt_outs is not null`,
}

type Facts = { readonly optOuts: HeldOptOuts; readonly now: number }

/** The recipients of a chunk whom preferences or quiet hours stop, by name. */
function withheldIn(audience: Audience, { optOuts, now }: Facts): readonly (readonly [string, KeptBack])[] {
  const { topic, expiresAt, quietHours, brandZone, recipients } = audience
  // A zone is asked about once, because that takes long and a chunk has few of them.
  const byZone = new Map<string, Withheld | null>()
  return recipients.flatMap(({ id, timeZone, absence }) => {
    if (absence !== null) return []
    const name = withheldName(audience, id)
    const zone = timeZone ?? brandZone
    const held = optOuts.get(name) ?? []
    const facts = { topic, optOuts: held, quietHours, zone, now, expiresAt }
    if (held.length === 0 && !byZone.has(zone)) byZone.set(zone, withhold(facts))
    const withheld = held.length === 0 ? byZone.get(zone) : withhold(facts)
    if (withheld === null || withheld === undefined) return []
    const seen = withheld.reason === QUIET_REASON && quietHours !== null ? { quietHours, zone } : null
    return [[name, { outcome: outcomeOf(id, withheld), seen }] as const]
  })
}

function outcomeOf(recipientId: bigint, withheld: Withheld): RecipientOutcome {
  const { kind, reason } = withheld
  switch (kind) {
    case 'drop':
      return { ...DROPPED, recipientId, reason }
    case 'later':
      return { ...DROPPED, recipientId, reason, state: 'retrying', retryAt: withheld.until }
    default:
      return unreachable(kind)
  }
}

const DROPPED = { state: 'cancelled', retryAt: null, unknowns: 0, language: null, variant: null } as const

type Taken = { readonly kept: ReadonlyMap<string, KeptBack>; readonly now: number }

/** Counts the messages that nothing else stopped, and gives those that are beyond the frequency cap. */
async function takeCaps(
  tx: Db,
  audiences: readonly Audience[],
  { kept, now }: Taken,
): Promise<readonly (readonly [string, KeptBack])[]> {
  const days = new Map<string, string>()
  const dayIn = (zone: string): string => {
    const day = days.get(zone) ?? localDay(zone, now)
    days.set(zone, day)
    return day
  }
  const takes = audiences.flatMap((audience) => {
    const { brandId, notification, brandZone, cap } = audience
    if (cap === null) return []
    return audience.recipients
      .filter(({ id, absence }) => absence === null && !kept.has(withheldName(audience, id)))
      .map(({ id, timeZone }) => ({
        brandId,
        notification,
        subscriptionId: id,
        day: dayIn(timeZone ?? brandZone),
        cap,
      }))
  })
  if (takes.length === 0) return []
  const capped = await takeFrequency(tx, takes)
  return takes.flatMap((take) => {
    const name = recipientName(take)
    const outcome = { ...DROPPED, recipientId: take.subscriptionId, reason: FREQUENCY_REASON }
    const { cap, day } = take
    return capped.has(name) ? [[name, { outcome, seen: { cap, day } }] as const] : []
  })
}
