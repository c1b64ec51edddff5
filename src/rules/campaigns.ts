import { BEST_HOUR_DOCUMENTS } from './best-hours.ts'
import type { DocumentRows } from './documents.ts'
import type { FieldRow } from './fields.ts'
import { GOAL_DOCUMENTS } from './goals.ts'
import { PLATFORM_NAMES } from './platforms.ts'
import { PUSH_LIMITS } from './push.ts'
import { TRIAL_DOCUMENTS, TRIAL_LIMITS } from './trials.ts'

export const CAMPAIGN_LIMITS = {
  nameCharsMax: 200,
  tagsMax: 20,
  tagCharsMax: 100,
  /** People that an audience may list. A longer list belongs into a segment. */
  usersMax: 100_000,
  userCharsMax: PUSH_LIMITS.identifierCharsMax,
  undoSecondsMax: 60,
  /** People of one test send. */
  testUsersMax: 20,
  /** Campaigns of a brand that are not archived. */
  campaignsMax: 10_000,
} as const

/**
 * The states of a campaign, each with the states that may follow: draft → (awaiting_approval) → scheduled (launched,
 * and no message may leave yet) → sending → (deciding → sending) → sent. A campaign can be cancelled in any state
 * before `sent`. A change of a campaign that awaits approval makes it a draft again. A state without a following state
 * is final.
 */
export const CAMPAIGN_STATES = {
  draft: ['awaiting_approval', 'scheduled', 'cancelled'],
  awaiting_approval: ['draft', 'scheduled', 'cancelled'],
  scheduled: ['awaiting_approval', 'sending', 'sent', 'failed', 'cancelled'],
  sending: ['deciding', 'sent', 'failed', 'cancelled'],
  deciding: ['sending', 'sent', 'failed', 'cancelled'],
  sent: [],
  failed: [],
  cancelled: [],
} as const satisfies Record<string, readonly string[]>

export type CampaignState = keyof typeof CAMPAIGN_STATES

export const CAMPAIGN_STATE_NAMES = [
  'draft',
  'awaiting_approval',
  'scheduled',
  'sending',
  'deciding',
  'sent',
  'failed',
  'cancelled',
] as const satisfies readonly CampaignState[]

/** The states in which a campaign may be changed. */
export const CHANGEABLE_STATES = [
  'draft',
  'awaiting_approval',
  'scheduled',
] as const satisfies readonly CampaignState[]

/** The reason of a notification that was cancelled because a change of its campaign made another one. */
export const CAMPAIGN_REPLACED = 'replaced'

/** The reason of a draft whose approval was refused. */
export const CAMPAIGN_REFUSED = 'approval_refused'

/** Which devices of a person get the message: each of them, or the one that was used last, over all platforms. */
export const CAMPAIGN_REACHES = ['every_device', 'latest_device'] as const
export type CampaignReach = (typeof CAMPAIGN_REACHES)[number]

const SEGMENT_FILTER = { type: 'named', name: 'SegmentFilter' } as const
const SEGMENT_ID = { type: 'int64', of: 'a segment' } as const

/** The documents of a campaign: whom it is for, and who is left out. Several keys narrow the audience together. */
export const CAMPAIGN_DOCUMENTS = {
  CampaignAudience: {
    kind: 'campaign',
    description: 'Whom a campaign is for: everyone, or those who meet every one of the other keys.',
    shape: {
      type: 'object',
      keysMin: 1,
      keys: {
        everyone: {
          use: 'optional',
          shape: { type: 'boolean' },
          meaning: 'True is every live device of the platforms.',
        },
        segment_id: { use: 'optional', shape: SEGMENT_ID, meaning: 'The members of this segment.' },
        filter: {
          use: 'optional',
          shape: SEGMENT_FILTER,
          meaning: 'The people and devices that a filter finds, as in a segment.',
        },
        tag: {
          use: 'optional',
          shape: { type: 'text', charsMin: 1, charsMax: PUSH_LIMITS.tagCharsMax },
          meaning: 'The subscriptions that carry this tag.',
        },
        users: {
          use: 'optional',
          shape: {
            type: 'list',
            of: { type: 'text', charsMin: 1, charsMax: CAMPAIGN_LIMITS.userCharsMax },
            noun: 'people',
            itemsMin: 0,
            itemsMax: CAMPAIGN_LIMITS.usersMax,
          },
          meaning: 'These people, by their user ids.',
        },
        except: {
          use: 'optional',
          shape: { type: 'named', name: 'CampaignExcept' },
          meaning: 'Who is left out.',
        },
      },
    },
  },
  CampaignExcept: {
    kind: 'campaign',
    description: 'Who gets nothing: everybody who meets one of the keys.',
    shape: {
      type: 'object',
      keysMin: 1,
      keys: {
        segment_id: { use: 'optional', shape: SEGMENT_ID, meaning: 'The members of this segment.' },
        filter: { use: 'optional', shape: SEGMENT_FILTER, meaning: 'Those whom a filter finds.' },
        campaign_id: {
          use: 'optional',
          shape: { type: 'int64', of: 'a campaign' },
          meaning: 'The people who got this other campaign on any device.',
        },
      },
    },
  },
  ...TRIAL_DOCUMENTS,
  ...GOAL_DOCUMENTS,
  ...BEST_HOUR_DOCUMENTS,
} as const satisfies DocumentRows

/** The rows of a push (`rules/push-fields.ts`) that a campaign has as a whole, and not in its content. */
export const CAMPAIGN_PUSH_FIELDS: readonly string[] = [
  'languages',
  'topic',
  'notification_id',
  'schedule_date',
  'schedule_time',
  'time_zone',
  'per_second',
  'ignore_frequency_cap',
  'include_virtual_devices',
]

/** The fields of a campaign's own. */
export const CAMPAIGN_FIELDS = {
  name: {
    name: 'name',
    shape: { type: 'text', charsMax: CAMPAIGN_LIMITS.nameCharsMax },
    description: 'The name of the campaign, for people.',
  },
  tags: {
    name: 'tags',
    shape: { type: 'list', itemsMax: CAMPAIGN_LIMITS.tagsMax, charsMax: CAMPAIGN_LIMITS.tagCharsMax },
    description: 'Words by which the list of campaigns can be narrowed.',
  },
  audience: {
    name: 'audience',
    shape: { type: 'object', document: 'CampaignAudience' },
    description: 'The people and devices that the campaign is for.',
  },
  platforms: {
    name: 'platforms',
    shape: { type: 'list', itemsMax: PLATFORM_NAMES.length, charsMax: 20 },
    description: 'Any of android, ios and web; all of them when absent.',
  },
  reach: {
    name: 'reach',
    shape: { type: 'choice', oneOf: CAMPAIGN_REACHES },
    description:
      'every_device, or latest_device: only the device that a person used last, over all platforms. every_device when absent.',
  },
  content: {
    name: 'content',
    shape: { type: 'object', document: 'CampaignContent' },
    description: 'The fields of a push that say what is shown: title, message, url …',
  },
  android: {
    name: 'android',
    shape: { type: 'object', document: 'CampaignContent' },
    description: 'Fields that take the place of those in content on Android.',
  },
  ios: {
    name: 'ios',
    shape: { type: 'object', document: 'CampaignContent' },
    description: 'Fields that take the place of those in content on iOS.',
  },
  web: {
    name: 'web',
    shape: { type: 'object', document: 'CampaignContent' },
    description: 'Fields that take the place of those in content in browsers.',
  },
  variants: {
    name: 'variants',
    shape: { type: 'objects', document: 'CampaignVariant', itemsMax: TRIAL_LIMITS.variantsMax },
    description:
      'Two to eight contents that are compared. A person gets the same one on all devices. A variant of weight 0 is sent to nobody.',
  },
  holdout_percent: {
    name: 'holdout_percent',
    shape: { type: 'integer', min: 0n, max: BigInt(TRIAL_LIMITS.holdoutPercentMax), unit: ' percent' },
    description:
      'The percentage of the audience, chosen by chance, that gets nothing, for comparison; 0 when absent.',
  },
  winner: {
    name: 'winner',
    shape: { type: 'object', document: 'CampaignWinner' },
    description: 'Tries the variants on a part of the audience first; the rest gets the better one.',
  },
  goal: {
    name: 'goal',
    shape: { type: 'object', document: 'CampaignGoal' },
    description: 'The event that the campaign is to bring about.',
  },
  best_hour: {
    name: 'best_hour',
    shape: { type: 'object', document: 'CampaignBestHour' },
    description:
      'In place of a schedule: each person gets the message at the hour of the day at which they are most often active.',
  },
  undo_seconds: {
    name: 'undo_seconds',
    shape: { type: 'integer', min: 0n, max: BigInt(CAMPAIGN_LIMITS.undoSecondsMax), unit: ' seconds' },
    description: 'Nothing leaves before so many seconds after the launch are over; 0 when absent.',
  },
} as const satisfies Record<string, FieldRow>
