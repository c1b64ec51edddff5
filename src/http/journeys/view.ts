import { readStoredJourney } from '../../domain/journeys/stored-journey.ts'
import { OLD_EVENTS_ADVICE, OLD_EVENTS_REASON } from '../../rules/event-files.ts'
import { JOURNEY_NOTES, type JourneyNote } from '../../rules/journey-steps.ts'
import type { StoredJourney } from '../../store/journeys/journeys.ts'
import type { EnrolmentReport, PathNote, StepCount, VersionReport } from '../../store/journeys/reads.ts'
import { CHECK, REASON } from '../push/checks-view.ts'
import { Type } from '../schema/schema.ts'
import { INSTANT, INSTANT_OR_NULL, instantOf, instantOrNull, TEXT_OR_NULL } from '../schema/view.ts'
import { DOCUMENT_FIELDS } from './schema.ts'

/** A journey in a reply: the document as the caller wrote it, with its id, state, version and counts. */
export function renderJourney(journey: StoredJourney): object {
  return {
    journey_id: journey.id,
    name: journey.name,
    state: journey.state,
    version: journey.version,
    is_readable: readStoredJourney(journey).ok,
    reason: journey.scanReason,
    ...journey.document,
    active_since: instantOrNull(journey.activeSince),
    created_at: instantOf(journey.createdAt),
    updated_at: instantOf(journey.updatedAt),
  }
}

export function renderVersion(report: VersionReport): object {
  const { version, document, createdAt, inside } = report
  const isReadable = readStoredJourney(report).ok
  return { version, inside, is_readable: isReadable, created_at: instantOf(createdAt), ...document }
}

export type Counted = {
  /** In the order of the journey. */
  readonly steps: readonly string[]
  readonly counts: readonly StepCount[]
  readonly inside: readonly { readonly step: string; readonly count: number }[]
}

/** Steps that only an earlier version had come last. */
export function renderCounts({ steps: present, counts, inside }: Counted): object {
  const known = [...present, ...[...counts, ...inside].map(({ step }) => step)]
  const steps = [...new Set(known)].filter((step) => step !== '')
  const countsOf = (wanted: string): object =>
    Object.fromEntries(counts.filter(({ step }) => step === wanted).map(({ did, count }) => [did, count]))
  return {
    inside: inside.reduce((sum, { count }) => sum + count, 0),
    ...countsOf(''),
    steps: steps.map((step) => ({
      id: step,
      inside: inside.find((one) => one.step === step)?.count ?? 0,
      ...countsOf(step),
    })),
  }
}

export function renderEnrolment(enrolment: EnrolmentReport): object {
  const { id, version, state, step, enteredAt, wakeAt, path } = enrolment
  return {
    enrolment_id: id,
    version,
    state,
    step,
    entered_at: instantOf(enteredAt),
    next_at: instantOrNull(wakeAt),
    path: path.map(renderNote),
  }
}

function renderNote({ at, step, did }: PathNote): object {
  return { at: instantOf(at), step, code: did, message: sentenceOf(did) }
}

function sentenceOf(did: JourneyNote): string {
  return JOURNEY_NOTES[did].sentence
}

const OPEN = { additionalProperties: true } as const

export const IS_READABLE = Type.Boolean({
  description: 'False if the stored document is damaged: nobody enters, and nobody inside takes a step.',
})

export const JOURNEY_VIEW = Type.Object({
  journey_id: Type.Integer({ format: 'int64' }),
  name: Type.String(),
  state: Type.String({ enum: ['draft', 'active', 'paused', 'archived'] }),
  version: Type.Integer({ description: 'Grows with each change of the document.' }),
  is_readable: IS_READABLE,
  reason: Type.Union([Type.String(), Type.Null()], {
    description: `Why nobody can enter by the segment at present: \`${OLD_EVENTS_REASON}\`. ${OLD_EVENTS_ADVICE}`,
  }),
  active_since: INSTANT_OR_NULL,
  created_at: INSTANT,
  updated_at: INSTANT,
  ...DOCUMENT_FIELDS,
})

export const COUNTS_VIEW = Type.Object(
  {
    inside: Type.Integer({ description: 'The number of people inside at this moment.' }),
    steps: Type.Array(Type.Object({ id: Type.String(), inside: Type.Integer() }, OPEN)),
  },
  OPEN,
)

const NOTE_VIEW = Type.Object({
  at: INSTANT,
  step: TEXT_OR_NULL,
  code: Type.String(),
  message: Type.String(),
})

export const ENROLMENT_VIEW = Type.Object({
  enrolment_id: Type.Integer({ format: 'int64' }),
  version: Type.Integer(),
  state: Type.String({ enum: ['active', 'completed', 'goal', 'exited'] }),
  step: TEXT_OR_NULL,
  entered_at: INSTANT,
  next_at: INSTANT_OR_NULL,
  path: Type.Array(NOTE_VIEW),
})

export const EXPLANATION_REPLY = Type.Object({
  explanation: Type.Object({
    user_id: Type.String(),
    notification: Type.Optional(Type.String()),
    campaign: Type.Optional(Type.Integer({ format: 'int64' })),
    journey: Type.Optional(Type.Integer({ format: 'int64' })),
    is_reached: Type.Boolean({
      description: 'Whether a push service accepted at least one message for the person.',
    }),
    reasons: Type.Array(REASON),
    checks: Type.Optional(
      Type.Array(CHECK, {
        description: 'The same as a chain of checks, for a notification and a campaign, in their order.',
      }),
    ),
  }),
})
