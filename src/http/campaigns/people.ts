import { parseCampaignTrial } from '../../domain/campaigns/trial-reading.ts'
import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { parseInt64 } from '../../domain/values/int64.ts'
import { CAMPAIGN_DEEDS, CAMPAIGN_GROUPS, type CampaignGroup } from '../../rules/campaign-people.ts'
import { TRIAL_GROUPS, TRIAL_LIMITS } from '../../rules/trials.ts'
import { loadCampaign } from '../../store/campaigns/campaigns.ts'
import {
  type CampaignInsider,
  type CampaignPeopleQuery,
  listCampaignPeople,
} from '../../store/campaigns/people-list.ts'
import type { Deps } from '../deps.ts'
import { nextCursor, PAGE_FIELDS, parseList } from '../lists/page.ts'
import { parseTimeBound } from '../lists/time-bound.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, type Static, Type } from '../schema/schema.ts'
import { INSTANT_OR_NULL, instantOrNull, TEXT_OR_NULL } from '../schema/view.ts'
import { campaignRef, unknownCampaign } from './campaigns.ts'

/** GET /api/v1/campaigns/{campaign_id}/people: the people behind the figures of the results. */
export async function listPeopleOfCampaign({ database }: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(CAMPAIGN_PEOPLE_QUERY, request.query), parseInt64)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, after: afterId, limit, warnings } = parsed.value
  const ref = campaignRef(request)
  if (ref === null) return refuse(unknownCampaign())
  const { group = null, did = null, variant: name = null } = value
  const time = parseConverted(value)
  if (!time.ok) return refuse(time.rejection)
  return database.asBrand(ref.brandId, async (tx) => {
    const campaign = await loadCampaign(tx, ref)
    if (campaign === null) return refuse(unknownCampaign())
    const trial = parseCampaignTrial(campaign.document, { isJudged: false })
    if (!trial.ok) throw new Error('the variants of a stored campaign cannot be read')
    const variants = trial.value.variants.map((one) => one.name)
    const variant = name === null ? null : variants.indexOf(name)
    if (variant === -1) return refuse(UNKNOWN_VARIANT)
    const page = await listCampaignPeople(tx, { ...ref, group, did, variant, ...time.value, afterId, limit })
    const next = nextCursor(page, ({ id }) => String(id))
    const people = page.rows.map((row) => renderPerson(row, variants))
    return replySuccess({ people, next_cursor: next }, { processed: people.length, warnings })
  })
}

type ConvertedTime = Pick<CampaignPeopleQuery, 'convertedFrom' | 'convertedTo'>

/** The time of goal events, which only the list of people who converted has. */
function parseConverted(query: Static<typeof CAMPAIGN_PEOPLE_QUERY>): Result<ConvertedTime> {
  const from = parseTimeBound('from', query.from)
  if (!from.ok) return from
  const to = parseTimeBound('to', query.to)
  if (!to.ok) return to
  const hasTime = from.value !== null || to.value !== null
  if (!hasTime || query.did === 'converted')
    return accept({ convertedFrom: from.value, convertedTo: to.value })
  const detail = 'with from or to it must be converted'
  return reject(fault('field_invalid', 'did', { detail }))
}

const UNKNOWN_VARIANT = {
  faults: [fault('field_invalid', 'variant', { detail: 'the campaign has no variant of that name' })],
} as const

function renderPerson(row: CampaignInsider, variants: readonly string[]): object {
  const { trialGroup, goalEvents, conversions } = row
  return {
    user_id: row.userId,
    subscription_id: row.subscriptionId,
    group: groupOf(trialGroup),
    variant: trialGroup === null ? null : (variants[trialGroup] ?? null),
    planned_at: instantOrNull(row.plannedAt),
    clicked_at: instantOrNull(row.clickedAt),
    reached: goalEvents === null ? null : { events: goalEvents, ltv: row.goalLtv },
    converted: conversions === 0 ? null : { events: conversions, ltv: row.conversionsLtv },
  }
}

function groupOf(trialGroup: number | null): CampaignGroup | null {
  if (trialGroup === null) return null
  if (trialGroup >= 0) return 'sent'
  return trialGroup === TRIAL_GROUPS.holdout ? 'held_out' : 'control'
}

export const CAMPAIGN_PEOPLE_QUERY = Type.Object({
  ...PAGE_FIELDS,
  variant: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: TRIAL_LIMITS.nameCharsMax,
      description: 'Only people who get the variant of this name.',
    }),
  ),
  group: Type.Optional(
    Type.Union(
      CAMPAIGN_GROUPS.map((name) => Type.Literal(name)),
      {
        description: 'Only people of this group: sent, held_out, or control, the control group of the brand.',
      },
    ),
  ),
  did: Type.Optional(
    Type.Union(
      CAMPAIGN_DEEDS.map((name) => Type.Literal(name)),
      {
        description:
          'Only people who clicked; who reached the goal within its time, sent to or not; or who converted: with goal events that count for a message of this campaign.',
      },
    ),
  ),
  from: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'Only people who converted at or after this instant, as ISO 8601, and only these events of theirs. It goes with did=converted.',
    }),
  ),
  to: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'The same for events before this instant. It goes with did=converted.',
    }),
  ),
})

const GOAL_EVENTS = Type.Object({ events: Type.Integer(), ltv: Type.String() })

export const CAMPAIGN_PERSON = Type.Object({
  user_id: TEXT_OR_NULL,
  subscription_id: Type.Union([Type.String(), Type.Null()], {
    description: 'The device, when it has no person and counts as one.',
  }),
  group: Type.Union([...CAMPAIGN_GROUPS.map((name) => Type.Literal(name)), Type.Null()], {
    description: 'Null when only the event is still kept.',
  }),
  variant: Type.Union([Type.String(), Type.Null()], {
    description: 'Null without variants, and for people who get nothing.',
  }),
  planned_at: INSTANT_OR_NULL,
  clicked_at: INSTANT_OR_NULL,
  reached: Type.Union([GOAL_EVENTS, Type.Null()], {
    description: 'The goal events within the time of the goal, sent to or not; null without any.',
  }),
  converted: Type.Union([GOAL_EVENTS, Type.Null()], {
    description: 'The goal events that count for a message of this campaign; null without any.',
  }),
})
