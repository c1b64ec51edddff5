import { type Fault, fault } from '../../domain/fault.ts'
import type { LocatedSend, ReadMessage } from '../../domain/journeys/steps.ts'
import { payloadFault, type RenderPayload } from '../../domain/push/payload.ts'
import { sampleMessage, strangerScope } from '../../domain/push/sample.ts'
import { accept, reject } from '../../domain/result.ts'
import { isJsonObject } from '../../domain/values/json.ts'
import type { Platform } from '../../rules/platforms.ts'
import { missingFaults, type ReadFields, readFields } from '../fields/fields.ts'
import { int64In, isSetIn, textIn } from '../fields/value.ts'
import { pushContentOf, readContentFaults } from '../push/content.ts'
import { journeySendRules } from '../push/field-rules.ts'

/**
 * Reads the message of a journey's `send` by the rows of a push. The message must be valid on every platform of the
 * step. An unknown key is refused and not only warned of, because a journey is written once and runs for a long time.
 */
export function messageReader(renderPayload: RenderPayload, now: number): ReadMessage {
  return (send) => {
    const { path, value, platforms } = send
    const entries = isJsonObject(value) ? Object.entries(value).filter(([name]) => name !== 'to') : []
    const readings = platforms.map((platform) => readFields(journeySendRules(platform), entries, `${path}.`))
    const flaws = readings.flatMap((reading, at) => faultsOf(reading, send, platforms[at]))
    const [first, ...others] = [
      ...new Map(flaws.map((flaw) => [`${flaw.field} ${flaw.code}`, flaw])).values(),
    ]
    if (first !== undefined) return reject(first, ...others)
    // A field that only one platform has is kept for that platform.
    const values = new Map(readings.flatMap((reading) => [...reading.values]))
    const message = {
      content: pushContentOf(values),
      callerNotificationId: int64In(values, 'notification_id'),
      topic: textIn(values, 'topic'),
    }
    const sizes = platforms.flatMap((platform) => {
      const sample = sampleMessage({ platform, ...message, scope: strangerScope(now) })
      const flaw = sample === null ? null : payloadFault(platform, renderPayload(platform, sample).bytes)
      return flaw === null ? [] : [{ ...flaw, field: `${path}.message` }]
    })
    const [tooLarge] = sizes
    return tooLarge === undefined ? accept(message) : reject(tooLarge)
  }
}

function faultsOf(
  fields: ReadFields,
  { path }: LocatedSend,
  platform: Platform | undefined,
): readonly Fault[] {
  const rules = journeySendRules(platform ?? 'web')
  const missing = missingFaults(rules, fields, `${path}.`)
  const isSilent = isSetIn(fields.values, 'silent')
  const strays = fields.warnings
    .filter(({ code }) => code === 'unknown_field')
    .map(({ field }) => fault('journey_invalid', field, { detail: 'unknown key of a send' }))
  const together = readContentFaults(fields).map((flaw) => ({
    ...flaw,
    field: `${path}.${flaw.field ?? ''}`,
  }))
  return [...fields.faults, ...(isSilent ? [] : missing), ...together, ...strays]
}
