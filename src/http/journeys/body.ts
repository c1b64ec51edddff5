import { eventNamesOf, type Journey } from '../../domain/journeys/plan.ts'
import { parseJourney } from '../../domain/journeys/reading.ts'
import { accept, type Result } from '../../domain/result.ts'
import { isJsonObject, type JsonObject } from '../../domain/values/json.ts'
import { JOURNEY_LIMITS } from '../../rules/journeys.ts'
import type { VersionDraft } from '../../store/journeys/journeys.ts'
import { type Static, Type } from '../schema/schema.ts'
import { type MessageDeps, messageReader } from './message.ts'
import { JOURNEY_NAME } from './schema.ts'

/** The document is read by `parseDocument`, which knows more than a schema can say; routes.ts publishes its schema. */
const DOCUMENT = { trigger: Type.Unknown(), steps: Type.Unknown() }
const EXTRAS = {
  goal: Type.Optional(Type.Unknown()),
  exit: Type.Optional(Type.Unknown()),
  reentry: Type.Optional(Type.Unknown()),
  quiet_hours: Type.Optional(Type.Unknown()),
}
const NAME = JOURNEY_NAME

export const JOURNEY_BODY = Type.Object({ name: NAME, ...DOCUMENT, ...EXTRAS })
export const JOURNEY_CHECK = Type.Object({ name: Type.Optional(NAME), ...DOCUMENT, ...EXTRAS })
export const JOURNEY_CHANGES = Type.Object({
  name: Type.Optional(NAME),
  trigger: Type.Optional(DOCUMENT.trigger),
  steps: Type.Optional(DOCUMENT.steps),
  ...EXTRAS,
})

/** The document in a body: each of its fields but the name. */
export function documentIn(body: Static<typeof JOURNEY_CHANGES>): JsonObject {
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => name !== 'name' && value !== undefined),
  )
}

export type ParsedJourney = { readonly journey: Journey; readonly version: VersionDraft }

/** The parts of a document that may name templates and snippets: its sends. More steps than allowed are refused later. */
export function sendsIn({ steps }: JsonObject): readonly unknown[] {
  if (!Array.isArray(steps)) return []
  return steps
    .slice(0, JOURNEY_LIMITS.stepsMax)
    .map((step: unknown) => (isJsonObject(step) ? step['send'] : null))
}

/** A document that was found good, as it is stored. */
export function parseDocument(
  document: JsonObject,
  { renderPayload, source, now }: MessageDeps,
): Result<ParsedJourney> {
  const parsed = parseJourney(document, messageReader({ renderPayload, source, now }))
  if (!parsed.ok) return parsed
  const journey = parsed.value
  const sends = [...journey.steps.values()].flatMap((step) =>
    step.kind === 'send' ? [[step.id, storedMessage(step.message)] as const] : [],
  )
  const listens = eventNamesOf(journey)
  return accept({ journey, version: { document, messages: Object.fromEntries(sends), listens } })
}

/** As text, because JSON in the database gives small numbers back as numbers. */
function storedMessage(message: Extract<Message, object>) {
  const { content, alternatives, callerNotificationId, topic, template } = message
  return {
    content,
    ...(alternatives === null ? {} : { alternatives }),
    callerNotificationId: callerNotificationId === null ? null : String(callerNotificationId),
    topic,
    template: template === null ? null : { ...template, templateId: String(template.templateId) },
  }
}

type Message = Extract<ReturnType<Journey['steps']['get']>, { readonly kind: 'send' }>['message']
