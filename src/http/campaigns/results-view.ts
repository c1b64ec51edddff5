import type { Decision } from '../../domain/campaigns/decision.ts'
import { attributedBy, type Figure } from '../../domain/campaigns/figures.ts'
import type { Interval, Proportion } from '../../domain/campaigns/proportions.ts'
import type { Attributed, Uplift } from '../../domain/campaigns/results.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import type { CampaignNotification } from '../../store/campaigns/notifications.ts'
import { Type } from '../schema/schema.ts'
import { INSTANT, instantOf } from '../schema/view.ts'

/** A rate with the interval in which the true one lies. */
export function renderRate({ value, low, high }: Interval): object {
  return { rate: rounded(value), low: rounded(low), high: rounded(high) }
}

/** `of` is the number of people whom the rate is of; null where there is no such number. */
export function renderAttributed(found: Attributed | undefined, of: number | null): object {
  const { conversions = 0, people = 0, ltv = '0' } = found ?? {}
  return { conversions, people, ltv, ...(of === null ? {} : { rate: of === 0 ? 0 : rounded(people / of) }) }
}

/** The same, with the rate as a share of messages or entries; null where none are kept. */
export function renderShare(found: Attributed | undefined, of: number): object {
  return { ...renderAttributed(found, null), rate: of === 0 ? null : rounded((found?.people ?? 0) / of) }
}

/** The goal events of a campaign by platform, beside the messages that were accepted there. */
export function renderCampaignPlatforms(
  figures: readonly Figure[],
  notifications: readonly CampaignNotification[],
): readonly object[] {
  return [...attributedBy(figures, 'platform')].map(([platform, found]) => {
    const own = notifications.filter((one) => one.platform === platform)
    const accepted = own.reduce((sum, one) => sum + one.accepted, 0)
    return { platform, ...renderShare(found, accepted), accepted }
  })
}

/** The goal events of a journey by platform. */
export function renderPlatforms(figures: readonly Figure[]): readonly object[] {
  return [...attributedBy(figures, 'platform')].map(([platform, found]) => ({
    platform,
    ...renderAttributed(found, null),
  }))
}

export function renderUplift(uplift: Uplift): object {
  if (uplift.kind === 'no_control') return { kind: uplift.kind }
  const groups = { sent: renderGroup(uplift.sent), held: renderGroup(uplift.held) }
  if (uplift.kind === 'not_enough_data') return { kind: uplift.kind, ...groups }
  const { value, low, high } = uplift.difference
  return {
    kind: uplift.kind,
    ...groups,
    difference: { value: rounded(value), low: rounded(low), high: rounded(high) },
  }
}

function renderGroup({ of, did }: Proportion): object {
  return { people: of, reached: did, rate: of === 0 ? 0 : rounded(did / of) }
}

export function renderDecision(
  { kind, variant, groups, leads, at }: Decision & { readonly at: number },
  names: readonly string[],
): object {
  return {
    kind,
    at: instantOf(at),
    variant: names[variant] ?? null,
    groups: groups.map((group) => ({
      variant: names[group.variant] ?? null,
      people: group.of,
      did: group.did,
    })),
    leads: leads.map(({ over, difference }) => ({
      over: names[over] ?? null,
      value: rounded(difference.value),
      low: rounded(difference.low),
      high: rounded(difference.high),
    })),
  }
}

/** Six digits after the point are a thousandth of the width of any interval. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6
}

const RATE = Type.Object({ rate: Type.Number(), low: Type.Number(), high: Type.Number() })
const RATE_OR_NULL = Type.Union([RATE, Type.Null()])
const ATTRIBUTED_COUNTS = {
  conversions: Type.Integer({ description: 'The goal events that count for the last message before them.' }),
  people: Type.Integer(),
  ltv: Type.String({ description: 'The sum of their ltv, a decimal.' }),
} as const
const NUMBER_OR_NULL = [Type.Number(), Type.Null()]
const ATTRIBUTED = Type.Object({ ...ATTRIBUTED_COUNTS, rate: Type.Number() })
const GROUP = Type.Object({ people: Type.Integer(), reached: Type.Integer(), rate: Type.Number() })
const DIFFERENCE = { value: Type.Number(), low: Type.Number(), high: Type.Number() } as const
const UPLIFT = Type.Object({
  kind: Type.Union(['measured', 'not_enough_data', 'no_control'].map((kind) => Type.Literal(kind))),
  sent: Type.Optional(GROUP),
  held: Type.Optional(GROUP),
  difference: Type.Optional(Type.Object(DIFFERENCE)),
})
const TEXT_OR_NULL = Type.Union([Type.String(), Type.Null()])

/** The reply of a campaign's results. */
export const CAMPAIGN_RESULTS = Type.Object({
  as_of: INSTANT,
  people: Type.Integer({
    description:
      'The people whom the campaign was planned for and sent to. They are counted only for a campaign with a goal, variants or a holdout, or when the brand has a control group.',
  }),
  held_out: Type.Integer(),
  in_control: Type.Integer(),
  clicked: RATE,
  receipts: Type.Object(
    {},
    { additionalProperties: Type.Integer(), description: 'Deliveries with a receipt, by kind.' },
  ),
  attributed: ATTRIBUTED,
  uplift: UPLIFT,
  platforms: Type.Array(
    Type.Object({
      platform: Type.Union(PLATFORM_NAMES.map((name) => Type.Literal(name))),
      ...ATTRIBUTED_COUNTS,
      accepted: Type.Integer({
        description:
          'The messages that the push service accepted on this platform, as long as they are kept.',
      }),
      rate: Type.Union(NUMBER_OR_NULL, {
        description:
          'The people as a share of the accepted messages of this platform; null if none are kept.',
      }),
    }),
  ),
  variants: Type.Array(
    Type.Object({
      name: Type.String(),
      people: Type.Integer(),
      devices: Type.Object(
        {},
        { additionalProperties: Type.Integer(), description: 'Devices, by the state of their delivery.' },
      ),
      clicked: RATE_OR_NULL,
      reached: RATE_OR_NULL,
      attributed: ATTRIBUTED,
      uplift: UPLIFT,
    }),
  ),
  decision: Type.Union([
    Type.Object({
      kind: Type.Union(['winner', 'no_difference', 'not_enough_data'].map((kind) => Type.Literal(kind))),
      at: INSTANT,
      variant: Type.Union([Type.String(), Type.Null()], { description: 'The variant that the rest gets.' }),
      groups: Type.Array(Type.Object({ variant: TEXT_OR_NULL, people: Type.Integer(), did: Type.Integer() })),
      leads: Type.Array(Type.Object({ over: TEXT_OR_NULL, ...DIFFERENCE })),
    }),
    Type.Null(),
  ]),
})

/** The reply of a journey's results. */
export const JOURNEY_RESULTS = Type.Object({
  as_of: INSTANT,
  attributed: Type.Object({
    ...ATTRIBUTED_COUNTS,
    rate: Type.Union(NUMBER_OR_NULL, {
      description: 'The people as a share of all entries into the journey; null if nobody entered.',
    }),
  }),
  steps: Type.Array(
    Type.Object({
      step: Type.String(),
      ...ATTRIBUTED_COUNTS,
      rate: Type.Union(NUMBER_OR_NULL, {
        description: 'The people as a share of the times that this step sent; null if it sent nothing.',
      }),
    }),
  ),
  platforms: Type.Array(
    Type.Object({
      platform: Type.Union(PLATFORM_NAMES.map((name) => Type.Literal(name))),
      ...ATTRIBUTED_COUNTS,
    }),
  ),
})
