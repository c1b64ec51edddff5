import { type Fault, fault } from '../../domain/fault.ts'
import type { Alternatives } from '../../domain/push/alternatives.ts'
import type { Content } from '../../domain/push/message.ts'
import type { RenderPayload } from '../../domain/push/payload.ts'
import { payloadFaults } from '../../domain/push/sample.ts'
import type { SnippetTexts } from '../../domain/push/snippets.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import type { JsonObject } from '../../domain/values/json.ts'
import type { Warning } from '../../domain/warning.ts'
import { PLATFORM_NAMES, type Platform } from '../../rules/platforms.ts'
import { missingFaults, type ReadFields, readFields } from '../fields/fields.ts'
import { isSetIn } from '../fields/value.ts'
import { pushContentOf, readContentFaults } from '../push/content.ts'
import { templateRules } from '../push/field-rules.ts'
import { alternativesOf, type ReadLanguages, readLanguages } from '../push/languages.ts'
import { inlineTexts } from './resolve.ts'

type ContentCheck = {
  readonly platforms: readonly Platform[]
  readonly snippets: SnippetTexts
  readonly renderPayload: RenderPayload
  readonly now: number
}

export const CONTENT_PREFIX = 'content.'

/** The content of a template, if it fits each of its platforms. A fault that not all platforms have names its own. */
export function checkContent(content: JsonObject, check: ContentCheck): Result<JsonObject> {
  const given = Object.fromEntries(Object.entries(content).filter(([, value]) => value !== null))
  const inlined = inlineTexts(given, check.snippets, CONTENT_PREFIX)
  if (!inlined.ok) return inlined
  const flaws = PLATFORM_NAMES.map((platform) => ({
    platform,
    faults: faultsOn(platform, inlined.value, check),
  }))
  const [first, ...others] = named(flaws, check.platforms)
  return first === undefined ? accept(given) : reject(first, ...others)
}

/** The message of a checked content, its snippets put in, on one platform. */
export function messageOn(platform: Platform, inlined: JsonObject): PlatformMessage {
  const rules = templateRules(platform)
  const fields = readFields(rules, Object.entries(inlined), CONTENT_PREFIX)
  const languages = readLanguages(rules, fields, CONTENT_PREFIX)
  const alternatives = alternativesOf(fields.values, languages.values)
  return { content: pushContentOf(fields.values), alternatives }
}

type PlatformMessage = { readonly content: Content; readonly alternatives: Alternatives | null }

function faultsOn(platform: Platform, content: JsonObject, check: ContentCheck): readonly Fault[] {
  const rules = templateRules(platform)
  const fields = readFields(rules, Object.entries(content), CONTENT_PREFIX)
  const missing = isSetIn(fields.values, 'silent') ? [] : missingFaults(rules, fields, CONTENT_PREFIX)
  const together = readContentFaults(fields).map((flaw) => ({
    ...flaw,
    field: `${CONTENT_PREFIX}${flaw.field}`,
  }))
  const languages = readLanguages(rules, fields, CONTENT_PREFIX)
  const faults = [
    ...fields.faults,
    ...missing,
    ...together,
    ...strays(fields.warnings),
    ...languages.faults,
    ...strays(languages.warnings),
  ]
  return faults.length > 0 ? faults : sizeFaults(platform, { ...check, fields, languages })
}

/** A template is written once and used for long, so an unknown field is refused and not only warned of. */
function strays(warnings: readonly Warning[]): readonly Fault[] {
  return warnings
    .filter(({ code }) => code === 'unknown_field')
    .map(({ field }) => fault('field_invalid', field, { detail: 'a template has no such field' }))
}

type CheckedFields = ContentCheck & { readonly fields: ReadFields; readonly languages: ReadLanguages }

function sizeFaults(platform: Platform, { fields, languages, renderPayload, now }: CheckedFields) {
  const content = pushContentOf(fields.values)
  const alternatives = alternativesOf(fields.values, languages.values)
  const measured = { platform, content, alternatives, callerNotificationId: null, now }
  return payloadFaults(measured, renderPayload).map((flaw) => ({
    ...flaw,
    field: `${CONTENT_PREFIX}${flaw.field}`,
  }))
}

type PlatformFaults = { readonly platform: Platform; readonly faults: readonly Fault[] }

function named(flaws: readonly PlatformFaults[], platforms: readonly Platform[]): readonly Fault[] {
  const wanted = flaws.filter(({ platform }) => platforms.includes(platform))
  const messages = new Map(wanted.flatMap(({ faults }) => faults.map((flaw) => [flaw.message, flaw])))
  return [...messages.values()].map((flaw) => {
    const having = flaws.filter(({ faults }) => faults.some(({ message }) => message === flaw.message))
    if (having.length === PLATFORM_NAMES.length || flaw.code === 'payload_too_large') return flaw
    const platform = having.map((one) => one.platform).join(' and ')
    return fault('template_unfit', flaw.field, { platform, detail: flaw.message })
  })
}
