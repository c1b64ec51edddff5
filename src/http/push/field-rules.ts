import { CAMPAIGN_PUSH_FIELDS } from '../../rules/campaigns.ts'
import type { Shape } from '../../rules/fields.ts'
import { LANGUAGE_CONTENT } from '../../rules/languages.ts'
import { PLATFORM_NAMES, type Platform } from '../../rules/platforms.ts'
import { PUSH_MODE_NAMES, PUSH_MODES, type PushMode } from '../../rules/push.ts'
import type { PushFieldRow } from '../../rules/push-field-row.ts'
import { PUSH_FIELDS } from '../../rules/push-fields.ts'
import { TEMPLATE_PUSH_FIELDS } from '../../rules/template-fields.ts'
import { type FieldRule, type FieldRules, fieldRules } from '../fields/fields.ts'
import { bodySchema, type FieldsSchema } from '../fields/schema.ts'

/** One of the nine endpoints. */
export type PushAddress = { readonly platform: Platform; readonly mode: PushMode }

/** The rules of one of the nine bodies, taken from `PUSH_FIELDS`. */
export function pushRules(address: PushAddress): FieldRules {
  const rules = RULES.get(keyOf(address))
  if (rules === undefined) throw new Error(`no rules for ${keyOf(address)}`)
  return rules
}

/** The identifiers of which a request needs at least one; empty for a broadcast. */
export function identifierNames({ platform, mode }: PushAddress): readonly string[] {
  return ROWS.filter((row) => row.modes[mode] === 'identifier' && existsOn(row, platform)).map(
    ({ name }) => name,
  )
}

/** The rules of a journey's `send` on one platform: the rows of a push to one subscriber that a journey may set. */
export function journeySendRules(platform: Platform): FieldRules {
  const rules = JOURNEY_SEND_RULES.get(platform)
  if (rules === undefined) throw new Error(`no rules for a journey's send to ${platform}`)
  return rules
}

/** The rules of a campaign's content on one platform: the rows of a broadcast that say what is shown. */
export function campaignContentRules(platform: Platform): FieldRules {
  const rules = CAMPAIGN_CONTENT_RULES.get(platform)
  if (rules === undefined) throw new Error(`no rules for a campaign's content on ${platform}`)
  return rules
}

/** The rules of a push that a campaign has as a whole, the same on every platform. */
export function campaignPushRules(): readonly FieldRule[] {
  const rows = ROWS.filter(({ name }) => CAMPAIGN_PUSH_FIELDS.includes(name))
  return rows.map((row) => ruleOf(row, { platform: 'web', mode: 'all' }))
}

/** The rules of a saved template's content on one platform: the fields of a journey's `send` that are content. */
export function templateRules(platform: Platform): FieldRules {
  const rules = TEMPLATE_RULES.get(platform)
  if (rules === undefined) throw new Error(`no rules for a template on ${platform}`)
  return rules
}

/** The fields of a push whose texts may hold Liquid. */
export const LIQUID_FIELDS: ReadonlySet<string> = new Set(
  PUSH_FIELDS.filter(({ shape }) => shape.type === 'template' || shape.type === 'link').map(
    ({ name }) => name,
  ),
)

/**
 * The JSON Schema of one of the nine bodies. `anyOf` asks for one of the identifiers, `allOf` for a text: its own, that of
 * a template, or none in a silent notification.
 */
export function pushBodySchema(address: PushAddress): FieldsSchema {
  const schema = bodySchema(pushRules(address))
  const required = schema.required.filter((name) => !TEXTS.includes(name))
  const identifiers = identifierNames(address)
  const one = identifiers.length === 0 ? {} : { anyOf: identifiers.map((name) => ({ required: [name] })) }
  return { ...schema, required, ...one, allOf: [{ anyOf: TEXT_CHOICES }] }
}

const TEXTS: readonly string[] = ['title', 'message']

/** How a push or a send of a journey gets its text. The properties are for types, which a schema without them cannot make. */
export const TEXT_CHOICES = [
  { required: TEXTS, properties: { title: { type: 'string' }, message: { type: 'string' } } },
  { required: ['template_id'], properties: { template_id: {} } },
  { required: ['silent'], properties: { silent: { const: true } } },
] as const

const ROWS: readonly PushFieldRow[] = PUSH_FIELDS

const RULES: ReadonlyMap<string, FieldRules> = new Map(
  PLATFORM_NAMES.flatMap((platform) =>
    PUSH_MODE_NAMES.map((mode) => {
      const address = { platform, mode }
      return [keyOf(address), fieldRules(ROWS.map((row) => ruleOf(row, address)))] as const
    }),
  ),
)

const JOURNEY_SEND_RULES: ReadonlyMap<Platform, FieldRules> = new Map(
  PLATFORM_NAMES.map((platform) => {
    const rows = ROWS.filter(({ allowedInJourney }) => allowedInJourney === true)
    return [platform, fieldRules(rows.map((row) => ruleOf(row, { platform, mode: 'send' })))] as const
  }),
)

/** The fields that name a template, in a content that has no other fields of a push. */
export const TEMPLATE_NAME_RULES: FieldRules = fieldRules(
  TEMPLATE_PUSH_FIELDS.map(({ name, shape, description }) => ({ name, shape, description, use: 'optional' })),
)

const TEMPLATE_NAMES: readonly string[] = TEMPLATE_PUSH_FIELDS.map(({ name }) => name)

const CAMPAIGN_CONTENT_RULES: ReadonlyMap<Platform, FieldRules> = new Map(
  PLATFORM_NAMES.map((platform) => {
    const rows = ROWS.filter(
      ({ name, allowedInJourney }) =>
        allowedInJourney === true && ![...CAMPAIGN_PUSH_FIELDS, ...TEMPLATE_NAMES].includes(name),
    )
    return [platform, fieldRules(rows.map((row) => ruleOf(row, { platform, mode: 'all' })))] as const
  }),
)

const NO_CONTENT: readonly string[] = ['notification_id', 'topic', ...TEMPLATE_NAMES]

const TEMPLATE_RULES: ReadonlyMap<Platform, FieldRules> = new Map(
  [...JOURNEY_SEND_RULES].map(([platform, { rows }]) => [
    platform,
    fieldRules(rows.filter(({ name }) => !NO_CONTENT.includes(name))),
  ]),
)

function keyOf({ platform, mode }: PushAddress): string {
  return `${platform}/${mode}`
}

function ruleOf(row: PushFieldRow, address: PushAddress): FieldRule {
  const { name, aliases = [], description, shapeOn } = row
  const shape = shapeOn?.[address.platform] ?? row.shape
  const use = useOf(row, address)
  const entries = row.hasContents === true ? { entries: languageRules(address.platform) } : {}
  return { name, aliases, description, shape, use, refusal: PUSH_MODES[address.mode].refusal, ...entries }
}

/** The rules of the content in one language: each row that is content may be there, and every other row is refused. */
function languageRules(platform: Platform): FieldRules {
  const refusal = 'it is the same in all languages'
  return fieldRules(
    ROWS.filter(({ hasContents }) => hasContents !== true).map((row) => {
      const { name, aliases = [], description, shapeOn } = row
      const shape = weighedLater(shapeOn?.[platform] ?? row.shape)
      const use = LANGUAGE_CONTENT.includes(name) ? 'optional' : 'refused'
      return { name, aliases, description, shape, use, refusal }
    }),
  )
}

/** The templates of all languages are weighed together, so that many languages take no more work than one. */
function weighedLater(shape: Shape): Shape {
  return shape.type === 'template' || shape.type === 'link' ? { ...shape, isWeighedLater: true } : shape
}

function useOf(row: PushFieldRow, { platform, mode }: PushAddress): FieldRule['use'] {
  const presence = row.modes[mode]
  if (presence === 'refused') return 'refused'
  if (!existsOn(row, platform)) return 'ignored'
  return presence === 'identifier' ? 'optional' : presence
}

function existsOn({ platforms = PLATFORM_NAMES }: PushFieldRow, platform: Platform): boolean {
  return platforms.includes(platform)
}
