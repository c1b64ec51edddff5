import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
import type { BestHourCounts } from '../../intake/campaigns/best-hours.ts'
import { BEST_HOUR_LIMITS } from '../../rules/best-hours.ts'
import { CAMPAIGN_STATE_NAMES } from '../../rules/campaigns.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import { NOTIFICATION_STATE_NAMES } from '../../rules/push.ts'
import type { StoredCampaign } from '../../store/campaigns/campaigns.ts'
import type { CampaignNotification } from '../../store/campaigns/notifications.ts'
import { bodySchema } from '../fields/schema.ts'
import { SHOWN } from '../push/shown.ts'
import { Type } from '../schema/schema.ts'
import { INSTANT, INSTANT_OR_NULL, instantOf, instantOrNull, TEXT_OR_NULL } from '../schema/view.ts'
import { CAMPAIGN_RULES } from './body.ts'
import { LEFT_OUT } from './dry-run-view.ts'

/** A campaign in a reply: the document as the caller wrote it, with its state and the counts of its notifications. */
export function renderCampaign(
  campaign: StoredCampaign,
  notifications: readonly CampaignNotification[],
): object {
  const { document, usersListed } = campaign
  return {
    campaign_id: campaign.id,
    name: campaign.name,
    tags: campaign.tags,
    state: campaign.state,
    reason: campaign.reason,
    version: campaign.version,
    ...document,
    audience: shownAudience(document['audience'], usersListed),
    people: campaign.people,
    people_reached: campaign.peopleReached,
    devices: devicesIn(notifications),
    ...Object.fromEntries([...COUNTS, 'clicked' as const].map((name) => [name, sumOf(notifications, name)])),
    notifications: notifications.map(renderPart),
    created_by: campaign.createdBy,
    created_at: instantOf(campaign.createdAt),
    updated_at: instantOf(campaign.updatedAt),
    requested_by: campaign.requestedBy,
    requested_at: instantOrNull(campaign.requestedAt),
    approved_by: campaign.approvedBy,
    approved_at: instantOrNull(campaign.approvedAt),
    launched_at: instantOrNull(campaign.launchedAt),
    send_at: instantOrNull(campaign.sendAt),
    finished_at: instantOrNull(campaign.finishedAt),
    archived_at: instantOrNull(campaign.archivedAt),
  }
}

/** A list of people may be long, so a reply says only how long. No request takes that form, so it cannot widen the audience. */
function shownAudience(audience: unknown, usersListed: number): JsonObject {
  const written = isJsonObject(audience) ? audience : {}
  return Object.hasOwn(written, 'users') ? { ...written, users: { listed: usersListed } } : written
}

const COUNTS = ['accepted', 'failed', 'expired', 'cancelled', 'pending'] as const

function sumOf(
  notifications: readonly CampaignNotification[],
  name: (typeof COUNTS)[number] | 'clicked',
): number {
  return notifications.reduce((sum, notification) => sum + notification[name], 0)
}

/** Null until the audience of one of them is chosen. */
function devicesIn(notifications: readonly CampaignNotification[]): number | null {
  const known = notifications.flatMap(({ audience }) => (audience === null ? [] : [audience]))
  return known.length === 0 ? null : known.reduce((sum, audience) => sum + audience, 0)
}

function renderPart(notification: CampaignNotification): object {
  const { campaignId: _, ...part } = notification
  return part
}

const NUMBER_OR_NULL = Type.Union([Type.Integer(), Type.Null()])
const INT64 = Type.Integer({ format: 'int64' })
const COUNT_VIEWS = {
  ...Object.fromEntries(COUNTS.map((name) => [name, Type.Integer()])),
  clicked: Type.Integer({ description: 'Messages that were clicked.' }),
}

const DOCUMENT_VIEWS = Object.fromEntries(
  Object.entries(bodySchema(CAMPAIGN_RULES.create).properties)
    .filter(([name]) => !['name', 'tags', 'audience'].includes(name))
    .map(([name, schema]) => [name, Type.Optional(Type.Unsafe(schema))]),
)

const PART_VIEW = Type.Object({
  id: Type.String({ format: 'uuid' }),
  platform: Type.Union(PLATFORM_NAMES.map((name) => Type.Literal(name))),
  state: Type.Union(NOTIFICATION_STATE_NAMES.map((name) => Type.Literal(name))),
  reason: TEXT_OR_NULL,
  audience: NUMBER_OR_NULL,
  ...COUNT_VIEWS,
})

export const CAMPAIGN_VIEW = Type.Object({
  campaign_id: INT64,
  name: Type.String(),
  tags: Type.Array(Type.String()),
  state: Type.Union(CAMPAIGN_STATE_NAMES.map((name) => Type.Literal(name))),
  reason: TEXT_OR_NULL,
  version: Type.Integer({ description: 'Grows with each change.' }),
  ...DOCUMENT_VIEWS,
  audience: Type.Object(
    {},
    { additionalProperties: true, description: 'As it was written; of a list of people, only its length.' },
  ),
  people: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'The people in the audience, counted at the launch; a device without a person counts as one.',
  }),
  people_reached: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The people with an accepted message, counted when the campaign is over.',
  }),
  devices: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The devices that it addresses, over all platforms; null until they are chosen.',
  }),
  ...COUNT_VIEWS,
  notifications: Type.Array(PART_VIEW, { description: 'One for each platform, from the launch on.' }),
  created_by: Type.String({ description: 'An API key, `key:<id>`, or a member, `member:<id>`.' }),
  created_at: INSTANT,
  updated_at: INSTANT,
  requested_by: TEXT_OR_NULL,
  requested_at: INSTANT_OR_NULL,
  approved_by: TEXT_OR_NULL,
  approved_at: INSTANT_OR_NULL,
  launched_at: INSTANT_OR_NULL,
  send_at: Type.Union([INSTANT, Type.Null()], { description: 'No message leaves before.' }),
  finished_at: INSTANT_OR_NULL,
  archived_at: INSTANT_OR_NULL,
})

/** The hours of a dry run. */
export function renderBestHours(counts: BestHourCounts): object {
  const { until, brandHour, peopleWithoutOwn, devicesCounted, hours } = counts
  return {
    until: instantOf(until),
    brand_hour: brandHour.source === 'brand' ? brandHour.hour : null,
    people_at_brand_hour: peopleWithoutOwn,
    devices_counted: devicesCounted,
    hours,
  }
}

const BEST_HOURS = Type.Object({
  until: Type.Union([INSTANT], { description: 'The last message leaves before.' }),
  brand_hour: Type.Union([Type.Integer({ minimum: 0, maximum: 23 }), Type.Null()], {
    description: 'The hour of the brand, in its own zone; null when it has no events in these hours.',
  }),
  people_at_brand_hour: Type.Integer({
    description:
      'People without activity of their own, who get it at the hour of the brand, or at once if there is none.',
  }),
  devices_counted: Type.Integer({
    description: `The devices that were looked at, up to about ${BEST_HOUR_LIMITS.dryRunDevicesMax}.`,
  }),
  hours: Type.Array(
    Type.Object({
      hour: Type.Integer({ minimum: 0, maximum: 23, description: 'On the clock of the people.' }),
      people: Type.Integer(),
      devices: Type.Integer(),
    }),
  ),
})

const LANGUAGE_SAMPLES = Type.Array(
  Type.Object({
    language: Type.String({ description: 'A tag of the campaign, or `default`.' }),
    devices: Type.Integer({ description: 'The devices that get this language.' }),
    payload: Type.Unknown({ description: 'The message in this language; null if it was not rendered.' }),
  }),
  { description: 'Absent if the campaign has one language only.' },
)

const REACH_COUNT = { people: Type.Integer(), devices: Type.Integer() } as const

export const CAMPAIGN_DRY_RUN = Type.Object({
  dry_run: Type.Literal(true),
  ...REACH_COUNT,
  left_out: LEFT_OUT,
  send_at: INSTANT,
  best_hour: Type.Optional(BEST_HOURS),
  platforms: Type.Object(
    Object.fromEntries(
      PLATFORM_NAMES.map((name) => [
        name,
        Type.Optional(
          Type.Object({
            ...REACH_COUNT,
            payload: Type.Unknown({
              description: 'The message for the first device that was found, or for the person in user_id.',
            }),
            shown: SHOWN,
            language: Type.Union([Type.String(), Type.Null()], {
              description: 'The language of payload and shown; null if the campaign has one language only.',
            }),
            languages: Type.Optional(LANGUAGE_SAMPLES),
          }),
        ),
      ]),
    ),
  ),
})
