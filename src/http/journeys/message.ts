import { type Fault, fault } from '../../domain/fault.ts'
import type { LocatedSend, ReadMessage } from '../../domain/journeys/steps.ts'
import type { RenderPayload } from '../../domain/push/payload.ts'
import { payloadFaults } from '../../domain/push/sample.ts'
import { accept, reject } from '../../domain/result.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import { PLATFORM_NAMES, type Platform } from '../../rules/platforms.ts'
import { missingFaults, type ReadFields, readFields } from '../fields/fields.ts'
import { int64In, isSetIn, textIn } from '../fields/value.ts'
import { readTemplateFaults, templateOf } from '../push/body.ts'
import { pushContentOf, readContentFaults } from '../push/content.ts'
import { journeySendRules } from '../push/field-rules.ts'
import { alternativesOf, type ReadLanguages, readLanguages } from '../push/languages.ts'
import { type Blamed, blameTemplate, type ContentSource, resolveFields } from '../templates/resolve.ts'

export type MessageDeps = {
  readonly renderPayload: RenderPayload
  /** The templates and snippets that the journey names. */
  readonly source: ContentSource
  readonly now: number
}

/**
 * Reads the message of a journey's `send` by the rows of a push. The message must be valid on every platform of the
 * step. An unknown key is refused and not only warned of, because a journey is written once and runs for a long time.
 */
export function messageReader({ renderPayload, source, now }: MessageDeps): ReadMessage {
  return (send) => {
    const { path, value, platforms } = send
    const resolved = resolveFields(source, isJsonObject(value) ? value : {}, `${path}.`)
    if (!resolved.ok) return resolved
    const entries = Object.entries(resolved.value.fields).filter(([name]) => name !== 'to')
    const readings = platforms.map((platform) => readFields(journeySendRules(platform), entries, `${path}.`))
    const languages = readings.map((reading, at) =>
      readLanguages(journeySendRules(platforms[at] ?? 'web'), reading, `${path}.`),
    )
    const flaws = readings.flatMap((reading, at) => {
      const platform = platforms[at] ?? 'web'
      const faults = [...faultsOf(reading, send, platform), ...languageFaults(languages[at])]
      return blamed(faults, { ...resolved.value, prefix: `${path}.` }, platform)
    })
    const [first, ...others] = [
      ...new Map(
        [...flaws, ...foreignFaults(entries, send)].map((flaw) => [`${flaw.field} ${flaw.code}`, flaw]),
      ).values(),
    ]
    if (first !== undefined) return reject(first, ...others)
    // A field that only one platform has is kept for that platform.
    const values = new Map(readings.flatMap((reading) => [...reading.values]))
    const message = {
      content: pushContentOf(values),
      alternatives: alternativesOf(values, mergeLanguages(languages)),
      callerNotificationId: int64In(values, 'notification_id'),
      topic: textIn(values, 'topic'),
      template: templateOf(values),
    }
    const sizes = platforms.flatMap((platform) => {
      const found = payloadFaults({ platform, ...message, now }, renderPayload)
      return found.map((flaw) => ({ ...flaw, field: `${path}.${flaw.field ?? ''}` }))
    })
    const [tooLarge] = sizes
    return tooLarge === undefined ? accept(message) : reject(tooLarge)
  }
}

/** Faults of fields that the platforms of the step lack: they are not sent, and still are what the schema says. */
function foreignFaults(
  entries: readonly (readonly [string, unknown])[],
  { path, platforms }: LocatedSend,
): readonly Fault[] {
  const foreign = entries.filter(([name]) =>
    platforms.every((platform) => journeySendRules(platform).bySpelling.get(name)?.use === 'ignored'),
  )
  const others = PLATFORM_NAMES.filter((platform) => !platforms.includes(platform))
  return others.flatMap((platform) => readFields(journeySendRules(platform), foreign, `${path}.`).faults)
}

function faultsOf(fields: ReadFields, { path }: LocatedSend, platform: Platform): readonly Fault[] {
  const rules = journeySendRules(platform)
  const missing = missingFaults(rules, fields, `${path}.`)
  const isSilent = isSetIn(fields.values, 'silent')
  const strays = strayFaults(fields)
  const together = [...readContentFaults(fields), ...readTemplateFaults(fields)].map((flaw) => ({
    ...flaw,
    field: `${path}.${flaw.field ?? ''}`,
  }))
  return [...fields.faults, ...(isSilent ? [] : missing), ...together, ...strays]
}

function blamed(faults: readonly Fault[], of: Blamed, platform: Platform): readonly Fault[] {
  const [first, ...others] = faults
  return first === undefined ? [] : blameTemplate(of, { faults: [first, ...others] }, platform).faults
}

/** A key that is unknown. One of a language that is close to a known key has a fault of its own already. */
function strayFaults({ warnings }: Pick<ReadFields, 'warnings'>): readonly Fault[] {
  return warnings
    .filter(({ code }) => code === 'unknown_field')
    .map(({ field }) => fault('journey_invalid', field, { detail: 'unknown key of a send' }))
}

function languageFaults(languages: ReadLanguages | undefined): readonly Fault[] {
  return languages === undefined ? [] : [...languages.faults, ...strayFaults(languages)]
}

/** The fields of each language. A field that only one platform has is kept for that platform. */
function mergeLanguages(readings: readonly ReadLanguages[]): ReadLanguages['values'] {
  const tags = new Set(readings.flatMap(({ values }) => [...values.keys()]))
  const fieldsOf = (tag: string) => new Map(readings.flatMap(({ values }) => [...(values.get(tag) ?? [])]))
  return new Map([...tags].map((tag) => [tag, fieldsOf(tag)]))
}
