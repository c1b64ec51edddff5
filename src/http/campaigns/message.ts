import {
  type ContentLayer,
  contentLayers,
  pathInLayers,
  variantIn,
  variantPath,
} from '../../domain/campaigns/content.ts'
import type { Fault } from '../../domain/fault.ts'
import { type Alternatives, contentKey, type Variant } from '../../domain/push/alternatives.ts'
import type { Content } from '../../domain/push/message.ts'
import type { RenderPayload } from '../../domain/push/payload.ts'
import { payloadFaults } from '../../domain/push/sample.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
import type { Warning } from '../../domain/warning.ts'
import type { Platform } from '../../rules/platforms.ts'
import { missingFaults, type ReadFields, readFields } from '../fields/fields.ts'
import { isSetIn } from '../fields/value.ts'
import { contentWarnings, pushContentOf, readContentFaults } from '../push/content.ts'
import { campaignContentRules, pushRules } from '../push/field-rules.ts'
import {
  alternativesOf,
  languagesFaults,
  type ReadLanguages,
  readLanguages,
  sizeOfLanguages,
} from '../push/languages.ts'
import { misspeltFaults } from '../push/misspelt.ts'

export type CampaignMessages = {
  readonly contents: ReadonlyMap<Platform, Content>
  readonly alternatives: ReadonlyMap<Platform, Alternatives>
  readonly warnings: readonly Warning[]
}

export type CampaignMessageQuery = {
  readonly platforms: readonly Platform[]
  readonly callerNotificationId: bigint | null
  readonly variants: readonly Variant[]
  readonly renderPayload: RenderPayload
  readonly now: number
}

/**
 * The message of a campaign on each of its platforms, read by the rows of a push. A fault names the place of the field
 * in the document: `content.title`, or `ios.title` where iOS has a title of its own.
 */
export function readMessages(document: JsonObject, query: CampaignMessageQuery): Result<CampaignMessages> {
  const [tooMuch] = query.variants.length === 0 ? [] : variantFaults(document, query.variants)
  if (tooMuch !== undefined) return reject(tooMuch)
  const readings = query.platforms.map((platform) => readOn(platform, document, query))
  const [first, ...others] = once(readings.flatMap(({ faults }) => faults))
  if (first !== undefined) return reject(first, ...others)
  const contents = new Map(readings.map(({ platform, content }) => [platform, content]))
  const alternatives = new Map(
    readings.flatMap(({ platform, alternatives: own }) => (own === null ? [] : [[platform, own] as const])),
  )
  return accept({ contents, alternatives, warnings: once(readings.flatMap(({ warnings }) => warnings)) })
}

/** Every variant is read in every language, so all of them together keep to the bounds of one message. */
function variantFaults(document: JsonObject, variants: readonly Variant[]): readonly Fault[] {
  const common = sizeOfLanguages(entriesOf(document['languages']))
  const own = variants.map((_, place) => sizeOfLanguages(entriesOf(variantIn(document, place)['languages'])))
  const all = [common, ...variants.map(() => common), ...own]
  return languagesFaults('variants', {
    tags: new Set(all.flatMap(({ tags }) => [...tags])),
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    templateChars: all.reduce((sum, { templateChars }) => sum + templateChars, 0),
  })
}

function entriesOf(languages: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries(isJsonObject(languages) ? languages : {})
}

function readOn(platform: Platform, document: JsonObject, query: CampaignMessageQuery) {
  const whole = readPart(platform, document, { query, variant: null })
  const variants = query.variants.map((_, variant) => readPart(platform, document, { query, variant }))
  const parts = [whole, ...variants]
  const { content } = whole
  return {
    platform,
    content,
    alternatives: variants.length === 0 ? whole.alternatives : joinVariants(query.variants, variants),
    faults: parts.flatMap(({ faults }) => faults),
    warnings: parts.flatMap(({ warnings }) => warnings),
  }
}

type Part = { readonly query: CampaignMessageQuery; readonly variant: number | null }

/** One variant of the message, or the message without variants, in all its languages. */
function readPart(platform: Platform, document: JsonObject, { query, variant }: Part) {
  const layers = contentLayers(document, platform, variant)
  const fields = readLayers(platform, layers)
  const languages = [
    languagesOn(platform, { languages: document['languages'], fields, prefix: '' }),
    ...(variant === null
      ? []
      : [
          languagesOn(platform, {
            languages: variantIn(document, variant)['languages'],
            fields,
            prefix: `${variantPath(variant)}.`,
          }),
        ]),
  ]
  const content = pushContentOf(fields.values)
  const alternatives = alternativesOf(fields.values, joinLanguages(languages.map(({ values }) => values)))
  const faults = [
    ...fields.faults,
    ...languages.flatMap((read) => read.faults),
    ...faultsTogether(platform, fields, layers),
  ]
  const measured = { platform, content, alternatives, ...query }
  const sized = faults.length > 0 ? [] : payloadFaults(measured, query.renderPayload)
  const located = sized.map((flaw) =>
    flaw.field === 'message' ? { ...flaw, field: pathInLayers(layers, 'message') } : flaw,
  )
  const warnings = [...fields.warnings, ...languages.flatMap((read) => read.warnings)]
  return { content, alternatives, faults: [...faults, ...located], warnings }
}

type LanguagesOn = { readonly languages: unknown; readonly fields: ReadFields; readonly prefix: string }

/** Languages of the document, or of one of its variants, over the content of one platform. */
function languagesOn(platform: Platform, { languages, fields, prefix }: LanguagesOn): ReadLanguages {
  const given = new Map(entriesOf(languages))
  const values = new Map([...fields.values, ['languages', given] as const])
  return readLanguages(pushRules({ platform, mode: 'all' }), { ...fields, values }, prefix)
}

type Languages = ReadLanguages['values']

/** The fields of each language; what the variant says in a language goes before what the campaign says in it. */
function joinLanguages(layers: readonly Languages[]): Languages {
  const tags = new Set(layers.flatMap((languages) => [...languages.keys()]))
  return new Map(
    [...tags].map((tag) => [tag, new Map(layers.flatMap((languages) => [...(languages.get(tag) ?? [])]))]),
  )
}

type ReadVariant = { readonly content: Content; readonly alternatives: Alternatives | null }

/** The contents of all variants. A variant that lacks a language of another one is read in its own default there. */
function joinVariants(variants: readonly Variant[], parts: readonly ReadVariant[]): Alternatives {
  const languages = [...new Set(parts.flatMap(({ alternatives }) => alternatives?.languages ?? []))]
  const contents = parts.flatMap(({ content, alternatives }, variant) => [
    [contentKey({ variant, language: null }), content] as const,
    ...languages.map((language) => {
      const own = alternatives?.contents[contentKey({ variant: null, language })]
      return [contentKey({ variant, language }), own ?? content] as const
    }),
  ])
  return { languages, variants, contents: Object.fromEntries(contents) }
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

/** The platforms read the same fields, so each flaw is told once. */
function once<Note extends { readonly code: string; readonly field: string | null }>(
  notes: readonly Note[],
): readonly Note[] {
  return [...new Map(notes.map((note) => [`${note.field} ${note.code}`, note])).values()]
}
