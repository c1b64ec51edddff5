import type { DeliveryState } from '../../rules/push.ts'
import { BLOCK_POWER } from './delivery-sql.ts'

/** Accepted recipients of one block of subscription ids who got the same content (decision 0027). */
export type AcceptedBlock = {
  readonly block: bigint
  /** The place in the block of its first recipient, for whom the first bit stands. */
  readonly firstPlace: number
  readonly bits: Buffer
  readonly language: string | null
  readonly variant: number | null
}

type PackableOutcome = Pick<AcceptedBlock, 'language' | 'variant'> & {
  readonly recipientId: bigint
  readonly state: DeliveryState
  readonly reason: string | null
}

export type PackedOutcomes<Outcome> = {
  readonly blocks: readonly AcceptedBlock[]
  /** The outcomes that are more than a bit. */
  readonly listed: readonly Outcome[]
}

/** Packs the outcomes that are nothing but accepted. A few are not worth it: their rows cost as little. */
export function packAccepted<Outcome extends PackableOutcome>(
  outcomes: readonly Outcome[],
): PackedOutcomes<Outcome> {
  if (outcomes.length < PACKED_MIN) return { blocks: [], listed: outcomes }
  const listed: Outcome[] = []
  const groups = new Map<string, Group>()
  let last: Group | undefined
  for (const outcome of outcomes) {
    const { recipientId, state, reason, language, variant } = outcome
    if (state !== 'accepted' || reason !== null) {
      listed.push(outcome)
      continue
    }
    const block = blockOf(recipientId)
    // Recipients come nearly in the order of their ids, so that a name for the group is seldom made.
    if (
      last === undefined ||
      last.block !== block ||
      last.language !== language ||
      last.variant !== variant
    ) {
      const name = `${block} ${variant} ${language}`
      last = groups.get(name) ?? { block, language, variant, places: [] }
      groups.set(name, last)
    }
    last.places.push(placeOf(recipientId))
  }
  return { blocks: [...groups.values()].map(pack), listed }
}

const PACKED_MIN = 4
const POWER = BigInt(BLOCK_POWER)

type Group = Pick<AcceptedBlock, 'block' | 'language' | 'variant'> & { readonly places: number[] }

function pack({ block, language, variant, places }: Group): AcceptedBlock {
  return { block, language, variant, ...packPlaces(places) }
}

export function blockOf(subscriptionId: bigint): bigint {
  return subscriptionId >> POWER
}

/** The place of a subscription in its block. */
export function placeOf(subscriptionId: bigint): number {
  return Number(BigInt.asUintN(BLOCK_POWER, subscriptionId))
}

/** The bits from the first place to the last. PostgreSQL counts the bits of a byte from the lowest. */
export function packPlaces(places: readonly number[]): Pick<PackedBits, 'firstPlace' | 'bits'> {
  const firstPlace = places.reduce((least, place) => Math.min(least, place))
  const lastPlace = places.reduce((most, place) => Math.max(most, place))
  const bits = Buffer.alloc(((lastPlace - firstPlace) >> 3) + 1)
  for (const place of places) {
    const at = place - firstPlace
    bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7))
  }
  return { firstPlace, bits }
}

/** The recipients of blocks. */
export function unpackAccepted(blocks: readonly PackedBits[]): ReadonlySet<bigint> {
  const ids = new Set<bigint>()
  for (const { block, firstPlace, bits } of blocks) {
    const first = (block << POWER) + BigInt(firstPlace)
    for (const [index, byte] of bits.entries()) {
      for (let bit = 0; bit < 8; bit += 1) {
        if ((byte & (1 << bit)) !== 0) ids.add(first + BigInt(8 * index + bit))
      }
    }
  }
  return ids
}

export type PackedBits = Pick<AcceptedBlock, 'block' | 'firstPlace' | 'bits'>
