import { fault } from '../../domain/fault.ts'
import { accept, type Result, reject } from '../../domain/result.ts'
import { JOURNEY_FOLD } from '../../rules/push.ts'
import type { JourneySends } from '../../store/push/journey-sends.ts'
import { Type } from '../schema/schema.ts'
import { TEXT_OR_NULL } from '../schema/view.ts'

type Range = { readonly from: number | null; readonly to: number | null }

/** The range of time that is folded: the asked one, or the days before its end. */
export function foldedRange(
  { from, to }: Range,
  now: number,
): Result<{ readonly from: number; readonly to: number }> {
  const end = to ?? now + 1
  const begin = from ?? end - JOURNEY_FOLD.daysDefault * DAY_MS
  if (end - begin <= JOURNEY_FOLD.daysMax * DAY_MS) return accept({ from: begin, to: end })
  const detail = `journey sends are folded for at most ${JOURNEY_FOLD.daysMax} days at once`
  return reject(fault('field_invalid', 'from', { detail }))
}

const DAY_MS = 86_400_000

export function renderJourneySends(sends: JourneySends): object {
  const { journeyId, step, day, ...counts } = sends
  return { journey_id: journeyId, step, day, ...counts }
}

export const JOURNEY_SENDS_VIEW = Type.Object({
  journey_id: Type.Integer({ format: 'int64' }),
  step: TEXT_OR_NULL,
  day: Type.String({ format: 'date', description: 'A day in UTC.' }),
  notifications: Type.Integer({ description: 'How many notifications the line stands for.' }),
  audience: Type.Integer(),
  accepted: Type.Integer(),
  failed: Type.Integer(),
  expired: Type.Integer(),
  cancelled: Type.Integer(),
  pending: Type.Integer(),
})
