import { type Fault, fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
import type { Warning } from '../../domain/warning.ts'
import { PLATFORM_NAMES, type Platform } from '../../rules/platforms.ts'
import { PUSH_FIELDS } from '../../rules/push-fields.ts'
import { PREVIEW_FIELDS, SNIPPET_FIELDS, SNIPPET_NAME, TEMPLATE_FIELDS } from '../../rules/templates.ts'
import { type FieldRule, type FieldRules, fieldRules, missingFaults, readFields } from '../fields/fields.ts'
import { listIn, numberIn, textIn } from '../fields/value.ts'

const { name: NAME, content: CONTENT, platforms: PLATFORMS, version: VERSION } = TEMPLATE_FIELDS

const IDENTIFIERS: readonly FieldRule[] = PUSH_FIELDS.filter(({ name }) =>
  ['user_id', 'subscription_id'].includes(name),
).map(({ name, shape, description }) => ({ name, shape, description, use: 'optional' }))

export const TEMPLATE_RULES = {
  create: fieldRules([
    { ...NAME, use: 'required' },
    { ...CONTENT, use: 'required' },
    { ...PLATFORMS, use: 'optional' },
  ]),
  change: fieldRules([
    { ...VERSION, use: 'required' },
    { ...NAME, use: 'optional' },
    { ...CONTENT, use: 'optional' },
    { ...PLATFORMS, use: 'optional' },
  ]),
  duplicate: fieldRules([{ ...NAME, use: 'optional' }]),
  preview: fieldRules([
    { ...PREVIEW_FIELDS.platform, use: 'required' },
    ...IDENTIFIERS,
    { ...PREVIEW_FIELDS.version, use: 'optional' },
  ]),
  previewContent: fieldRules([
    { ...CONTENT, use: 'required' },
    { ...PLATFORMS, use: 'optional' },
    { ...PREVIEW_FIELDS.userId, use: 'optional' },
    { ...PREVIEW_FIELDS.language, use: 'optional' },
  ]),
} as const satisfies Record<string, FieldRules>

export const SNIPPET_RULES = {
  create: fieldRules([
    { ...SNIPPET_FIELDS.name, use: 'required' },
    { ...SNIPPET_FIELDS.text, use: 'required' },
  ]),
  change: fieldRules([
    { ...SNIPPET_FIELDS.version, use: 'required' },
    { ...SNIPPET_FIELDS.text, use: 'required' },
  ]),
} as const satisfies Record<string, FieldRules>

/** The fields of a body about a template; null where one is absent. */
export type TemplateBody = {
  readonly name: string | null
  readonly version: number | null
  readonly content: JsonObject | null
  readonly platforms: readonly Platform[] | null
  readonly platform: Platform | null
  /** The person or the device of a preview. */
  readonly identifiers: JsonObject
  readonly userId: string | null
  readonly language: string | null
  readonly warnings: readonly Warning[]
}

export function parseTemplateBody(rules: FieldRules, body: unknown): Result<TemplateBody> {
  if (!isJsonObject(body)) return reject(fault('not_an_object'))
  const fields = readFields(rules, Object.entries(body))
  const { values } = fields
  const platforms = listIn(values, 'platforms')
  const [first, ...others] = [
    ...fields.faults,
    ...missingFaults(rules, fields),
    ...platformFaults(platforms ?? []),
  ]
  if (first !== undefined) return reject(first, ...others)
  const content = body['content']
  return accept({
    name: textIn(values, 'name'),
    version: numberIn(values, 'version'),
    content: isJsonObject(content) ? content : null,
    platforms:
      platforms === null || platforms.length === 0
        ? null
        : PLATFORM_NAMES.filter((name) => platforms.includes(name)),
    platform: PLATFORM_NAMES.find((name) => name === textIn(values, 'platform')) ?? null,
    userId: textIn(values, 'user_id'),
    language: textIn(values, 'language'),
    identifiers: Object.fromEntries(IDENTIFIERS.map(({ name }) => [name, textIn(values, name)])),
    warnings: fields.warnings,
  })
}

function platformFaults(platforms: readonly string[]): readonly Fault[] {
  const known: readonly string[] = PLATFORM_NAMES
  if (platforms.every((name) => known.includes(name))) return []
  return [fault('field_type', 'platforms', { expected: `a list of ${PLATFORM_NAMES.join(', ')}` })]
}

/** The fields of a body about a snippet; null where one is absent. */
type SnippetBody = {
  readonly name: string | null
  readonly text: string
  readonly version: number | null
  readonly warnings: readonly Warning[]
}

export function parseSnippetBody(rules: FieldRules, body: unknown): Result<SnippetBody> {
  if (!isJsonObject(body)) return reject(fault('not_an_object'))
  const fields = readFields(rules, Object.entries(body))
  const { values } = fields
  const name = textIn(values, 'name')
  const [first, ...others] = [
    ...fields.faults,
    ...missingFaults(rules, fields),
    ...(name === null || SNIPPET_NAME.test(name) ? [] : [BAD_NAME]),
  ]
  if (first !== undefined) return reject(first, ...others)
  const { warnings } = fields
  return accept({ name, text: textIn(values, 'text') ?? '', version: numberIn(values, 'version'), warnings })
}

const BAD_NAME = fault('field_invalid', 'name', {
  detail: 'it may have small letters, digits, - and _, and begins with a letter or a digit',
})
