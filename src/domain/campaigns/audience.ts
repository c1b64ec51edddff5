import { CAMPAIGN_DOCUMENTS } from '../../rules/campaigns.ts'
import { SEGMENT_DOCUMENTS } from '../../rules/segments.ts'
import { fault } from '../fault.ts'
import { accept, type Result, reject } from '../result.ts'
import { conditionOf } from '../segments/filter.ts'
import type { WrittenFilter } from '../segments/segment.ts'
import { int64At, objectAt, textAt, textsAt } from '../values/checked.ts'
import { fits } from '../values/document.ts'
import { type DocumentReading, startReading } from '../values/document-reading.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'

/** The audience of a campaign. Each part that is not null narrows it; without any, it is everyone. */
export type CampaignAudience = {
  readonly segmentId: bigint | null
  readonly filter: WrittenFilter | null
  readonly tag: string | null
  /** The listed people; empty for a stored campaign, whose list is in a table of its own. */
  readonly userIds: readonly string[] | null
  readonly except: CampaignExcept
}

/** The people whom a campaign leaves out. Each part that is not null leaves more of them out. */
export type CampaignExcept = {
  readonly segmentId: bigint | null
  readonly filter: WrittenFilter | null
  readonly campaignId: bigint | null
}

/** Reads the audience of a campaign, or refuses it with the path of each flaw: `audience.except.filter.tag`. */
export function parseCampaignAudience(
  value: unknown,
  { isJudged }: Pick<DocumentReading, 'isJudged'> = { isJudged: true },
): Result<CampaignAudience> {
  const reading = startReading(DOCUMENTS, { kind: 'campaign', isJudged })
  const shape = { type: 'named', name: 'CampaignAudience' } as const
  if (!fits(reading, shape, { path: 'audience', value }) || !isJsonObject(value)) {
    const [first, ...others] = reading.faults
    return reject(
      first ?? fault('campaign_invalid', 'audience', { detail: 'it must be an object' }),
      ...others,
    )
  }
  const chosen = CHOICES.filter((name) => Object.hasOwn(value, name))
  if (value['everyone'] === true && chosen.length > 0)
    return reject(invalid('everyone excludes the other keys'))
  if (value['everyone'] !== true && chosen.length === 0) {
    return reject(invalid(`name everyone, or one of ${CHOICES.join(', ')}`))
  }
  const audience = audienceOf(value)
  if (isJudged && audience.userIds?.length === 0)
    return reject(fault('campaign_invalid', 'audience.users', { detail: 'it is empty' }))
  return accept(audience)
}

const DOCUMENTS = { ...SEGMENT_DOCUMENTS, ...CAMPAIGN_DOCUMENTS }
const CHOICES = ['segment_id', 'filter', 'tag', 'users'] as const

function invalid(detail: string) {
  return fault('campaign_invalid', 'audience', { detail })
}

/** An audience whose shape was checked. */
function audienceOf(written: JsonObject): CampaignAudience {
  const except = Object.hasOwn(written, 'except') ? objectAt(written, 'except') : {}
  return {
    segmentId: idIn(written, 'segment_id'),
    filter: filterIn(written),
    tag: Object.hasOwn(written, 'tag') ? textAt(written, 'tag') : null,
    userIds: Object.hasOwn(written, 'users') ? [...new Set(textsAt(written, 'users'))] : null,
    except: {
      segmentId: idIn(except, 'segment_id'),
      filter: filterIn(except),
      campaignId: idIn(except, 'campaign_id'),
    },
  }
}

function idIn(written: JsonObject, name: string): bigint | null {
  return Object.hasOwn(written, name) ? int64At(written, name) : null
}

function filterIn(written: JsonObject): WrittenFilter | null {
  return Object.hasOwn(written, 'filter') ? conditionOf(objectAt(written, 'filter')) : null
}

/**
 * The part of an audience that a filter can say, as one filter: the segment, the inline filter, and not who is left
 * out by a segment or a filter. Null when that is everybody. Tags, lists of people and other campaigns are apart.
 */
export function audienceFilter({ segmentId, filter, except }: CampaignAudience): WrittenFilter | null {
  const parts: readonly WrittenFilter[] = [
    ...(segmentId === null ? [] : [{ kind: 'segment', id: segmentId } as const]),
    ...(filter === null ? [] : [filter]),
    ...(except.segmentId === null ? [] : [not({ kind: 'segment', id: except.segmentId })]),
    ...(except.filter === null ? [] : [not(except.filter)]),
  ]
  const [only, ...others] = parts
  if (only === undefined) return null
  return others.length === 0 ? only : { kind: 'all', of: parts }
}

function not(of: WrittenFilter): WrittenFilter {
  return { kind: 'not', of }
}
