import { type ContentLayer, contentLayers, pathInLayers } from '../../domain/campaigns/content.ts'
import type { Fault } from '../../domain/fault.ts'
import type { Content } from '../../domain/push/message.ts'
import { payloadFault, type RenderPayload } from '../../domain/push/payload.ts'
import { sampleMessage, strangerScope } from '../../domain/push/sample.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import type { JsonObject } from '../../domain/values/json.ts'
import type { Warning } from '../../domain/warning.ts'
import type { Platform } from '../../rules/platforms.ts'
import { missingFaults, type ReadFields, readFields } from '../fields/fields.ts'
import { isSetIn } from '../fields/value.ts'
import { misspeltFaults } from '../push/body.ts'
import { contentWarnings, pushContentOf, readContentFaults } from '../push/content.ts'
import { campaignContentRules } from '../push/field-rules.ts'

export type CampaignMessages = {
  readonly contents: ReadonlyMap<Platform, Content>
  readonly warnings: readonly Warning[]
}

export type CampaignMessageQuery = {
  readonly platforms: readonly Platform[]
  readonly callerNotificationId: bigint | null
  readonly renderPayload: RenderPayload
  readonly now: number
}

/**
 * The message of a campaign on each of its platforms, read by the rows of a push. A fault names the place of the field
 * in the document: `content.title`, or `ios.title` where iOS has a title of its own.
 */
export function readMessages(document: JsonObject, query: CampaignMessageQuery): Result<CampaignMessages> {
  const readings = query.platforms.map((platform) => readOn(platform, document, query))
  const [first, ...others] = once(readings.flatMap(({ faults }) => faults))
  if (first !== undefined) return reject(first, ...others)
  const contents = new Map(readings.map(({ platform, content }) => [platform, content]))
  return accept({ contents, warnings: once(readings.flatMap(({ warnings }) => warnings)) })
}

function readOn(platform: Platform, document: JsonObject, query: CampaignMessageQuery) {
  const layers = contentLayers(document, platform)
  const fields = readLayers(platform, layers)
  const content = pushContentOf(fields.values)
  const faults = [...fields.faults, ...faultsTogether(platform, fields, layers)]
  const sized = faults.length > 0 ? [] : sizeFaults(platform, content, query)
  const located = sized.map((flaw) => ({ ...flaw, field: pathInLayers(layers, 'message') }))
  return { platform, content, faults: [...faults, ...located], warnings: fields.warnings }
}

/** The fields of all layers as one. A field that the platform lacks is told only where the platform's own layer has it. */
function readLayers(platform: Platform, layers: readonly ContentLayer[]): ReadFields {
  const rules = campaignContentRules(platform)
  const readings = layers.map(({ path, fields }) => {
    const read = readFields(rules, Object.entries(fields), `${path}.`)
    const misspelt = misspeltFaults(read.unknown, rules.bySpelling.keys(), `${path}.`)
    const told = read.warnings.filter(
      ({ code, field }) =>
        misspelt.every((known) => known.field !== field) && (code !== 'unused_field' || path === platform),
    )
    return { ...read, faults: [...misspelt, ...read.faults], warnings: told }
  })
  const values = new Map(readings.flatMap((reading) => [...reading.values]))
  const seen = new Set(readings.flatMap((reading) => [...reading.seen]))
  const faults = readings.flatMap((reading) => reading.faults)
  const whole = { values, seen, faults, warnings: [], unknown: [] }
  const shown = contentWarnings(whole).map((one) => ({ ...one, field: pathInLayers(layers, one.field) }))
  return { ...whole, warnings: [...readings.flatMap(({ warnings }) => warnings), ...shown] }
}

function faultsTogether(
  platform: Platform,
  fields: ReadFields,
  layers: readonly ContentLayer[],
): readonly Fault[] {
  const missing = isSetIn(fields.values, 'silent')
    ? []
    : missingFaults(campaignContentRules(platform), fields, 'content.')
  const together = readContentFaults(fields).map((flaw) => ({
    ...flaw,
    field: pathInLayers(layers, flaw.field ?? ''),
  }))
  return [...missing, ...together]
}

/** A personal text is measured as it is for an unknown person; a longer one is cut when it is sent. */
function sizeFaults(
  platform: Platform,
  content: Content,
  { callerNotificationId, renderPayload, now }: CampaignMessageQuery,
): readonly Fault[] {
  const message = sampleMessage({ platform, content, callerNotificationId, scope: strangerScope(now) })
  const flaw = message === null ? null : payloadFault(platform, renderPayload(platform, message).bytes)
  return flaw === null ? [] : [flaw]
}

/** The platforms read the same fields, so each flaw is told once. */
function once<Note extends { readonly code: string; readonly field: string | null }>(
  notes: readonly Note[],
): readonly Note[] {
  return [...new Map(notes.map((note) => [`${note.field} ${note.code}`, note])).values()]
}
