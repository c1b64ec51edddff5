import { type Fault, fault } from '../../domain/fault.ts'
import type { Alternatives } from '../../domain/push/alternatives.ts'
import type { Draft, Target, TemplateOrigin } from '../../domain/push/notification.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import type { Warning } from '../../domain/warning.ts'
import { PLATFORMS } from '../../rules/platforms.ts'
import type { FieldValue } from '../fields/field.ts'
import { missingFaults, type ReadFields, readFields } from '../fields/fields.ts'
import { int64In, isSetIn, numberIn, textIn } from '../fields/value.ts'
import { contentWarnings, pushContentOf, readContentFaults } from './content.ts'
import { identifierNames, type PushAddress, pushRules } from './field-rules.ts'
import { alternativesOf, readLanguages } from './languages.ts'
import { misspeltFaults } from './misspelt.ts'
import { readTimingFaults, timingOf, timingWarnings } from './timing.ts'

type PushBody = { readonly draft: Draft; readonly warnings: readonly Warning[] }

/** Parses the body of one of the nine push calls; a refusal lists everything that is wrong with it. */
export function parsePushBody(address: PushAddress, body: unknown): Result<PushBody> {
  if (!isJsonObject(body)) return reject(fault('not_an_object'))
  const rules = pushRules(address)
  const fields = readFields(rules, Object.entries(body))
  const misspelt = misspeltFaults(fields.unknown, rules.bySpelling.keys())
  const languages = readLanguages(rules, fields)
  const [first, ...others] = [
    ...misspelt,
    ...fields.faults,
    ...languages.faults,
    ...faultsTogether(address, fields),
  ]
  if (first !== undefined) {
    const warnings = fields.warnings.filter(({ field }) => misspelt.every((known) => known.field !== field))
    return { ok: false, rejection: { faults: [first, ...others], warnings } }
  }
  const warnings = [...fields.warnings, ...languages.warnings, ...warningsTogether(fields)]
  const alternatives = alternativesOf(fields.values, languages.values)
  return accept({ draft: draftOf(address, fields.values, alternatives), warnings })
}

/** Faults that concern several fields together. */
function faultsTogether(address: PushAddress, fields: ReadFields): readonly Fault[] {
  return [
    ...missing(address, fields),
    ...missingIdentifier(address, fields),
    ...readContentFaults(fields),
    ...readTimingFaults(fields),
    ...readTemplateFaults(fields),
  ]
}

/** Warnings of fields that have no effect together with the others. */
function warningsTogether(fields: ReadFields): readonly Warning[] {
  return [...contentWarnings(fields), ...timingWarnings(fields)]
}

/** A silent notification shows nothing, so it needs neither title nor message. */
function missing(address: PushAddress, fields: ReadFields): readonly Fault[] {
  const faults = missingFaults(pushRules(address), fields)
  return isSetIn(fields.values, 'silent') ? faults.filter(({ field }) => !SHOWN.has(field)) : faults
}

const SHOWN = new Set<string | null>(['title', 'message'])

export function readTemplateFaults({ seen }: ReadFields): readonly Fault[] {
  if (!seen.has('template_version') || seen.has('template_id')) return []
  return [fault('field_conflict', 'template_version', { detail: 'it needs template_id' })]
}

function missingIdentifier(address: PushAddress, { seen }: ReadFields): readonly Fault[] {
  const names = identifierNames(address)
  if (names.length === 0 || names.some((name) => seen.has(name))) return []
  return [fault('identifier_missing', 'user_id', { fields: names.join(', ') })]
}

function draftOf(
  { platform, mode }: PushAddress,
  values: ReadonlyMap<string, FieldValue>,
  alternatives: Alternatives | null,
): Draft {
  return {
    platform,
    target: targetOf({ platform, mode }, values),
    tag: textIn(values, 'tag'),
    topic: textIn(values, 'topic'),
    callerNotificationId: int64In(values, 'notification_id'),
    content: pushContentOf(values),
    alternatives,
    template: templateOf(values),
    timing: timingOf(values),
    perSecond: numberIn(values, 'per_second'),
    ignoresCap: isSetIn(values, 'ignore_frequency_cap'),
    reachesVirtual: isSetIn(values, 'include_virtual_devices'),
    isDryRun: isSetIn(values, 'dry_run'),
  }
}

/** The template that a body names, with the version that was found for it. */
export function templateOf(values: ReadonlyMap<string, FieldValue>): TemplateOrigin | null {
  const templateId = int64In(values, 'template_id')
  const version = numberIn(values, 'template_version')
  return templateId === null || version === null ? null : { templateId, version }
}

function targetOf({ platform, mode }: PushAddress, values: ReadonlyMap<string, FieldValue>): Target {
  if (mode === 'all') return { kind: 'all' }
  const segmentId = int64In(values, 'segment_id')
  if (mode === 'segment' && segmentId !== null) return { kind: 'segment', segmentId }
  const { deviceField } = PLATFORMS[platform]
  return {
    kind: 'one',
    keys: {
      userId: textIn(values, 'user_id'),
      subscriptionId: textIn(values, 'subscription_id'),
      eitherId: textIn(values, 'user_id/subscription_id'),
      deviceId: deviceField === null ? null : textIn(values, deviceField),
    },
  }
}
