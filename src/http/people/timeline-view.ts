import type { JsonObject } from '../../domain/values/json.ts'
import { JOURNEY_NOTES } from '../../rules/journey-steps.ts'
import { IDENTITY_KINDS, TIMELINE_CHANGES, TIMELINE_KINDS } from '../../rules/people.ts'
import { PLATFORM_NAMES } from '../../rules/platforms.ts'
import { DELIVERY_STATES, RECEIPT_KINDS } from '../../rules/push.ts'
import type { TimelineLine } from '../../store/people/timeline.ts'
import { Type } from '../schema/schema.ts'
import { INSTANT, instantOf, NEXT_CURSOR, TEXT_OR_NULL } from '../schema/view.ts'

/** A line of a time line. Its fields stand under the name of its kind. */
export function renderLine({ atMicros, kind, body }: TimelineLine): object {
  return {
    at: instantOf(Number(atMicros / 1000n)),
    kind,
    [kind]: kind === 'journey' ? withMessage(body) : body,
  }
}

function withMessage(note: JsonObject): JsonObject {
  const [, known] = Object.entries(JOURNEY_NOTES).find(([code]) => code === note['code']) ?? []
  return { ...note, message: known?.sentence ?? '' }
}

const INT64_OR_NULL = Type.Union([Type.Integer({ format: 'int64' }), Type.Null()])
const ANYTHING = Type.Record(Type.String(), Type.Unknown())

const MESSAGE = {
  notification: Type.Object({
    id: Type.String({ format: 'uuid', description: 'Beckon’s id of the notification.' }),
    notification_id: INT64_OR_NULL,
    platform: Type.Enum([...PLATFORM_NAMES]),
    title: TEXT_OR_NULL,
    campaign_id: INT64_OR_NULL,
    journey_id: INT64_OR_NULL,
    step: TEXT_OR_NULL,
  }),
  subscription_id: Type.String(),
}

const LINE_VIEW = Type.Object({
  at: INSTANT,
  kind: Type.Enum([...TIMELINE_KINDS], { description: 'The name of the field that has the rest.' }),
  event: Type.Optional(
    Type.Object({
      id: Type.String(),
      event_name: Type.String(),
      ltv: Type.String(),
      attributes: ANYTHING,
      context: Type.Union([ANYTHING, Type.Null()]),
      event_id: TEXT_OR_NULL,
      is_before_creation: Type.Boolean(),
    }),
  ),
  delivery: Type.Optional(
    Type.Object({
      ...MESSAGE,
      state: Type.Enum([...DELIVERY_STATES]),
      reason: TEXT_OR_NULL,
      attempt: Type.Integer(),
      language: TEXT_OR_NULL,
    }),
  ),
  receipt: Type.Optional(
    Type.Object({
      ...MESSAGE,
      receipt: Type.Enum([...RECEIPT_KINDS]),
      button: Type.Union([Type.Integer(), Type.Null()]),
    }),
  ),
  journey: Type.Optional(
    Type.Object({
      journey_id: Type.Integer({ format: 'int64' }),
      name: Type.String(),
      version: Type.Integer(),
      enrolment_id: Type.Integer({ format: 'int64' }),
      step: TEXT_OR_NULL,
      code: Type.String(),
      message: Type.String(),
    }),
  ),
  change: Type.Optional(
    Type.Object({
      change: Type.Enum([...TIMELINE_CHANGES]),
      subscription_id: TEXT_OR_NULL,
      platform: Type.Union([Type.Enum([...PLATFORM_NAMES]), Type.Null()]),
      reason: TEXT_OR_NULL,
      topic: TEXT_OR_NULL,
    }),
  ),
  merge: Type.Optional(
    Type.Object({
      merge_id: Type.Integer(),
      did: Type.Enum(['merged', 'unmerged']),
      user_ids: Type.Array(Type.String(), {
        description:
          'The user ids of the profile that was absorbed; of a merge that was undone, those of the other person.',
      }),
      person: Type.Union(
        [Type.Object({ kind: Type.Enum([...IDENTITY_KINDS]), value: Type.String() }), Type.Null()],
        {
          description:
            'An identifier of the other person, with its kind for `by`, after the merge was undone. Null while they are one person.',
        },
      ),
    }),
  ),
})

export const TIMELINE_VIEW = Type.Object({ timeline: Type.Array(LINE_VIEW), ...NEXT_CURSOR })
