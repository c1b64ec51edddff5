import { DELIVERY_STATES, type DeliveryState, RECEIPT_KINDS, type ReceiptKind } from '../../rules/push.ts'
import type { Attributed, GroupFacts } from './results.ts'

/** A part of a campaign or a journey that has figures of its own. */
export type FigurePart = 'all' | 'group' | 'variant' | 'platform' | 'step'

/** One kept figure of a campaign or a journey. `amount` is a decimal, as text. */
export type Figure = {
  readonly figure: string
  readonly partOf: FigurePart
  /** Which group, variant, platform or step; empty for the whole. */
  readonly part: string
  readonly amount: string
}

/** The counts of the groups that a campaign divided its people into. A group without people is left out. */
export function groupFacts(figures: readonly Figure[]): readonly GroupFacts[] {
  return [...byPart(figures, 'group')]
    .map(([part, amounts]) => ({
      group: Number(part),
      people: numberOf(amounts, 'people'),
      clicked: numberOf(amounts, 'clicked'),
      reached: numberOf(amounts, 'reached'),
    }))
    .filter(({ people }) => people > 0)
    .toSorted((a, b) => a.group - b.group)
}

/** The goal events that count for the parts of one kind, by part. A part without any is left out. */
export function attributedBy(
  figures: readonly Figure[],
  partOf: FigurePart,
): ReadonlyMap<string, Attributed> {
  return new Map(
    [...byPart(figures, partOf)]
      .map(([part, amounts]) => [part, attributedOf(amounts)] as const)
      .filter(([, { conversions }]) => conversions > 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** The devices of each variant, by the place of the variant and the state of their delivery. */
export function variantDevices(
  figures: readonly Figure[],
): ReadonlyMap<string, Partial<Record<DeliveryState, number>>> {
  return new Map(
    [...byPart(figures, 'variant')].map(([part, amounts]) => [
      part,
      countsOf(amounts, 'devices', DELIVERY_STATES),
    ]),
  )
}

/** The deliveries with a receipt, by kind, over all platforms. */
export function receiptCounts(figures: readonly Figure[]): Partial<Record<ReceiptKind, number>> {
  return countsOf(byPart(figures, 'all').get('') ?? new Map(), 'receipts', RECEIPT_KINDS)
}

type Amounts = ReadonlyMap<string, string>

function byPart(figures: readonly Figure[], partOf: FigurePart): ReadonlyMap<string, Amounts> {
  const own = figures.filter((one) => one.partOf === partOf)
  return new Map(
    [...Map.groupBy(own, ({ part }) => part)].map(([part, ones]) => [
      part,
      new Map(ones.map(({ figure, amount }) => [figure, amount])),
    ]),
  )
}

function attributedOf(amounts: Amounts): Attributed {
  return {
    conversions: numberOf(amounts, 'conversions'),
    people: numberOf(amounts, 'converted'),
    ltv: amounts.get('ltv') ?? '0',
  }
}

function countsOf<Word extends string>(
  amounts: Amounts,
  name: string,
  words: readonly Word[],
): Partial<Record<Word, number>> {
  const found: Partial<Record<Word, number>> = {}
  for (const word of words) {
    const count = numberOf(amounts, `${name}.${word}`)
    if (count !== 0) found[word] = count
  }
  return found
}

function numberOf(amounts: Amounts, figure: string): number {
  return Number(amounts.get(figure) ?? 0)
}
