import { type Fault, fault } from '../../domain/fault.ts'
import type { ReadMessage, SendPlace } from '../../domain/journeys/step-reading.ts'
import { payloadFault, type RenderPayload } from '../../domain/push/payload.ts'
import { sampleMessage, strangerScope } from '../../domain/push/sample.ts'
import { accept, reject } from '../../domain/result.ts'
import { JOURNEY_SEND_FIELDS } from '../../rules/journeys.ts'
import { PLATFORM_NAMES, type Platform } from '../../rules/platforms.ts'
import { isObject } from '../fields/field-type.ts'
import { type FieldRules, type Fields, fieldRules, missingFaults, readFields } from '../fields/fields.ts'
import { int64In, isSetIn } from '../fields/value.ts'
import { contentOf, readContentFaults } from '../push/content.ts'
import { pushRules } from '../push/field-rules.ts'

/**
 * Reads what a send of a journey says, by the rows of a push: it must be good on every platform it may go to, and a
 * key that means nothing there is refused, since a journey is written once and runs for a long time.
 */
export function messageReader(renderPayload: RenderPayload, now: number): ReadMessage {
  return (place) => {
    const { path, value, platforms } = place
    const entries = isObject(value) ? Object.entries(value).filter(([name]) => name !== 'to') : []
    const readings = platforms.map((platform) => readFields(rulesOf(platform), entries, `${path}.`))
    const [fields] = readings
    if (fields === undefined) throw new Error('a send goes nowhere')
    const flaws = readings.flatMap((reading, at) => faultsOf(reading, place, platforms[at]))
    const [first, ...others] = [
      ...new Map(flaws.map((flaw) => [`${flaw.field} ${flaw.code}`, flaw])).values(),
    ]
    if (first !== undefined) return reject(first, ...others)
    const content = contentOf(fields.values)
    const message = { content, callerNotificationId: int64In(fields.values, 'notification_id') }
    const sizes = platforms.flatMap((platform) => {
      const sample = sampleMessage({ platform, ...message, scope: strangerScope(now) })
      const flaw = sample === null ? null : payloadFault(platform, renderPayload(platform, sample).bytes)
      return flaw === null ? [] : [{ ...flaw, field: `${path}.message` }]
    })
    const [tooLarge] = sizes
    return tooLarge === undefined ? accept(message) : reject(tooLarge)
  }
}

const NAMES = new Set<string>(JOURNEY_SEND_FIELDS)

const RULES: ReadonlyMap<Platform, FieldRules> = new Map(
  PLATFORM_NAMES.map((platform) => {
    const { rows } = pushRules({ platform, mode: 'send' })
    return [platform, fieldRules(rows.filter(({ name }) => NAMES.has(name)))] as const
  }),
)

function rulesOf(platform: Platform): FieldRules {
  const rules = RULES.get(platform)
  if (rules === undefined) throw new Error(`no rules for ${platform}`)
  return rules
}

function faultsOf(fields: Fields, { path }: SendPlace, platform: Platform | undefined): readonly Fault[] {
  const rules = rulesOf(platform ?? 'web')
  const missing = missingFaults(rules, fields, `${path}.`)
  const isSilent = isSetIn(fields.values, 'silent')
  const strays = fields.warnings
    .filter(({ code }) => code === 'unknown_field')
    .map(({ field }) => fault('journey_invalid', field, { detail: 'a send has no such key' }))
  const together = readContentFaults(fields).map((flaw) => ({
    ...flaw,
    field: `${path}.${flaw.field ?? ''}`,
  }))
  return [...fields.faults, ...(isSilent ? [] : missing), ...together, ...strays]
}
