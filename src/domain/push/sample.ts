import type { Platform } from '../../rules/platforms.ts'
import type { Fault } from '../fault.ts'
import { type Alternatives, contentsByPath } from './alternatives.ts'
import { type Content, type Message, messageOf } from './message.ts'
import { payloadFault, type RenderPayload } from './payload.ts'
import { personaliser } from './personalise.ts'
import type { TemplateScope } from './template.ts'

/** An id as long as the longest delivery id. */
const DELIVERY_ID = '00000000-0000-7000-8000-000000000000.9223372036854775807'

type SampleOf = {
  readonly platform: Platform
  readonly content: Content
  readonly callerNotificationId: bigint | null
  readonly scope: TemplateScope
}

/** The message that one recipient would get; null when its templates cannot be rendered. */
export function sampleMessage({ platform, content, callerNotificationId, scope }: SampleOf): Message | null {
  const personal = personaliser(content, platform).personalFor(scope)
  return personal === null
    ? null
    : messageOf(personal.content, { deliveryId: DELIVERY_ID, callerNotificationId })
}

type Measured = Omit<SampleOf, 'scope'> & {
  readonly alternatives: Alternatives | null
  readonly now: number
}

/**
 * A fault for each content whose payload the platform would not carry. A personal text is measured as it is for an
 * unknown person; a longer one is cut when it is sent.
 */
export function payloadFaults(measured: Measured, renderPayload: RenderPayload): readonly Fault[] {
  const { platform, callerNotificationId, alternatives, now } = measured
  const scope = strangerScope(now)
  return contentsByPath(measured.content, alternatives).flatMap(([path, content]) => {
    const message = sampleMessage({ platform, content, callerNotificationId, scope })
    const flaw = message === null ? null : payloadFault(platform, renderPayload(platform, message).bytes)
    return flaw === null ? [] : [{ ...flaw, field: `${path}${flaw.field ?? ''}` }]
  })
}

/** The scope of a template for a recipient without any data. */
export function strangerScope(now: number): TemplateScope {
  return { user: {}, subscription: {}, now }
}

/** A subscription and its person, as a template names them. */
type ScopeFacts = {
  readonly subscriptionId: string
  readonly language: string | null
  readonly timeZone: string | null
  readonly browser: string | null
  readonly appVersion: string | null
  readonly tags: readonly string[]
  readonly user: Readonly<Record<string, unknown>> | null
}

/** The names of a subscription in a template. */
export const SUBSCRIPTION_NAMES: readonly string[] = [
  'subscription_id',
  'platform',
  'language',
  'time_zone',
  'browser',
  'app_version',
  'tags',
]

export function scopeOf(facts: ScopeFacts, platform: Platform, now: number): TemplateScope {
  const { subscriptionId, language, timeZone, browser, appVersion, tags, user } = facts
  const subscription = {
    subscription_id: subscriptionId,
    platform,
    language,
    time_zone: timeZone,
    browser,
    app_version: appVersion,
    tags,
  }
  return { user: user ?? {}, subscription, now }
}
