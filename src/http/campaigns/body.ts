import { parseCampaignAudience } from '../../domain/campaigns/audience.ts'
import { parseBestHour } from '../../domain/campaigns/best-hour-reading.ts'
import type { Campaign } from '../../domain/campaigns/campaign.ts'
import { parseCampaignTrial } from '../../domain/campaigns/trial-reading.ts'
import { type Fault, fault } from '../../domain/fault.ts'
import type { RenderPayload } from '../../domain/push/payload.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
import type { Warning } from '../../domain/warning.ts'
import { CAMPAIGN_FIELDS, CAMPAIGN_LIMITS } from '../../rules/campaigns.ts'
import { PLATFORM_NAMES, type Platform } from '../../rules/platforms.ts'
import { PUSH_LIMITS } from '../../rules/push.ts'
import { type FieldRules, fieldRules, missingFaults, type ReadFields, readFields } from '../fields/fields.ts'
import { int64In, isSetIn, listIn, numberIn, textIn } from '../fields/value.ts'
import { campaignPushRules } from '../push/field-rules.ts'
import { misspeltFaults } from '../push/misspelt.ts'
import { readTimingFaults, timingOf, timingWarnings } from '../push/timing.ts'
import { readMessages } from './message.ts'

const { name: NAME, tags: TAGS, ...OF_DOCUMENT } = CAMPAIGN_FIELDS
const VERSION = {
  name: 'version',
  shape: { type: 'integer', min: 1n, max: BigInt(2 ** 31 - 1) },
  description: 'The version that you read. The change is refused if the campaign was changed since.',
} as const
const USER_ID = {
  name: 'user_id',
  shape: { type: 'text', charsMax: PUSH_LIMITS.identifierCharsMax },
  description: 'The person whom the question is about.',
} as const
const NEEDED: readonly string[] = ['audience', 'content']

const DOCUMENT = [...Object.values(OF_DOCUMENT), ...campaignPushRules()]
const OPTIONAL_DOCUMENT = DOCUMENT.map((row) => ({ ...row, use: 'optional' }) as const)

const WHOLE_DOCUMENT = OPTIONAL_DOCUMENT.map((row) =>
  NEEDED.includes(row.name) ? { ...row, use: 'required' as const } : row,
)

/** The rules of the bodies that make, change and explain a campaign. */
export const CAMPAIGN_RULES = {
  create: fieldRules([{ ...NAME, use: 'required' }, { ...TAGS, use: 'optional' }, ...WHOLE_DOCUMENT]),
  explain: fieldRules([
    { ...USER_ID, use: 'required' },
    { ...NAME, use: 'optional' },
    { ...TAGS, use: 'optional' },
    ...WHOLE_DOCUMENT,
  ]),
  change: fieldRules([
    { ...VERSION, use: 'required' },
    { ...NAME, use: 'optional' },
    { ...TAGS, use: 'optional' },
    ...OPTIONAL_DOCUMENT,
  ]),
} as const satisfies Record<string, FieldRules>

const DOCUMENT_RULES = fieldRules(OPTIONAL_DOCUMENT)

/** The fields of a body: those of the campaign's row, and those of its document in their first spelling. */
export type CampaignBody = {
  readonly name: string | null
  readonly tags: readonly string[] | null
  readonly version: number | null
  /** The person whom a question about the campaign names. */
  readonly userId: string | null
  /** A null takes the field out of the document. */
  readonly document: JsonObject
  readonly warnings: readonly Warning[]
}

/** Reads a body as far as its fields go; `parseCampaignDocument` reads the document that they make. */
export function parseCampaignBody(rules: FieldRules, body: unknown): Result<CampaignBody> {
  if (!isJsonObject(body)) return reject(fault('not_an_object'))
  const fields = readFields(rules, Object.entries(body))
  const misspelt = misspeltFaults(fields.unknown, rules.bySpelling.keys())
  const [first, ...others] = [...misspelt, ...fields.faults, ...missingFaults(rules, fields)]
  if (first !== undefined) return reject(first, ...others)
  const { values, warnings } = fields
  return accept({
    name: textIn(values, 'name'),
    tags: listIn(values, 'tags'),
    version: numberIn(values, 'version'),
    userId: textIn(values, 'user_id'),
    document: documentIn(body, rules),
    warnings,
  })
}

function documentIn(body: JsonObject, { bySpelling }: FieldRules): JsonObject {
  const entries = Object.entries(body).flatMap(([spelling, value]) => {
    const name = bySpelling.get(spelling)?.name
    return name !== undefined && DOCUMENT_RULES.bySpelling.has(name) ? [[name, value] as const] : []
  })
  return Object.fromEntries(entries)
}

/** The document after a change: a given field replaces the stored one, and null takes it out. */
export function changedDocument(document: JsonObject, changes: JsonObject): JsonObject {
  const merged = Object.entries({ ...document, ...changes })
  return Object.fromEntries(merged.filter(([, value]) => value !== null && value !== undefined))
}

export type ParsedCampaign = { readonly campaign: Campaign; readonly warnings: readonly Warning[] }

export type DocumentQuery = {
  readonly renderPayload: RenderPayload
  readonly now: number
  /** Whether the audience came with this request; a stored one has its list of people elsewhere. */
  readonly isAudienceNew: boolean
  /** Whether the variants, the winner or the goal came with this request; stored ones keep to the limits of their time. */
  readonly isTrialNew: boolean
}

/** A document as a campaign, or everything that is wrong with it. */
export function parseCampaignDocument(document: JsonObject, query: DocumentQuery): Result<ParsedCampaign> {
  const fields = readFields(DOCUMENT_RULES, Object.entries(document))
  const audience = parseCampaignAudience(document['audience'], { isJudged: query.isAudienceNew })
  const platforms = readPlatforms(fields)
  const callerNotificationId = int64In(fields.values, 'notification_id')
  const trial = parseCampaignTrial(document, { isJudged: query.isTrialNew })
  const bestHour = parseBestHour(document, { isJudged: query.isTrialNew })
  const messages = readMessages(document, {
    ...query,
    variants: trial.ok ? trial.value.variants : [],
    callerNotificationId,
    platforms: platforms.ok ? platforms.value : PLATFORM_NAMES,
  })
  const together: readonly Fault[] = [
    ...fields.faults,
    ...readTimingFaults(fields),
    ...[audience, platforms, trial, bestHour, messages].flatMap((part) =>
      part.ok ? [] : part.rejection.faults,
    ),
  ]
  const [first, ...others] = together
  if (first !== undefined) return reject(first, ...others)
  if (!audience.ok || !platforms.ok || !trial.ok || !bestHour.ok || !messages.ok)
    throw new Error('a campaign was refused without a fault')
  const { contents, alternatives } = messages.value
  const campaign = campaignOf(fields, {
    audience: audience.value,
    platforms: platforms.value,
    trial: trial.value,
    timing: bestHour.value === null ? timingOf(fields.values) : { kind: 'best_hour', ...bestHour.value },
    contents,
    alternatives,
  })
  return accept({ campaign, warnings: [...timingWarnings(fields), ...messages.value.warnings] })
}

function campaignOf(
  { values }: ReadFields,
  parts: Pick<Campaign, 'audience' | 'platforms' | 'contents' | 'alternatives' | 'trial' | 'timing'>,
): Campaign {
  return {
    ...parts,
    template: null,
    reach: textIn(values, 'reach') === 'latest_device' ? 'latest_device' : 'every_device',
    topic: textIn(values, 'topic'),
    callerNotificationId: int64In(values, 'notification_id'),
    perSecond: numberIn(values, 'per_second'),
    ignoresCap: isSetIn(values, 'ignore_frequency_cap'),
    reachesVirtual: isSetIn(values, 'include_virtual_devices'),
    undoSeconds: numberIn(values, 'undo_seconds') ?? 0,
  }
}

function readPlatforms({ values }: ReadFields): Result<readonly Platform[]> {
  const named = listIn(values, 'platforms')
  if (named === null) return accept(PLATFORM_NAMES)
  const known = PLATFORM_NAMES.filter((platform) => named.includes(platform))
  if (known.length === named.length && known.length > 0) return accept(known)
  const detail = `it lists one or more of ${PLATFORM_NAMES.join(', ')}`
  return reject(fault('campaign_invalid', 'platforms', { detail }))
}

/** The room that a body needs for the longest list of people, with ids of up to 150 bytes. */
export const CAMPAIGN_BODY = {
  bytesMax: 16 * 1024 * 1024,
  valuesMax: CAMPAIGN_LIMITS.usersMax + 10_000,
} as const
