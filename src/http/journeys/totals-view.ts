import { JOURNEY_RECENT_DAYS } from '../../rules/journeys.ts'
import type { JourneyTotals } from '../../store/journeys/totals.ts'
import { Type } from '../schema/schema.ts'
import { shareOrNull } from '../schema/view.ts'
import { JOURNEY_VIEW } from './view.ts'

/** The numbers of a journey in a list. */
export function renderTotals(totals: JourneyTotals | undefined): object {
  const { entered = 0n, inside = 0, goal = 0n, completed = 0n, exited = 0n, sent = 0n } = totals ?? {}
  const { accepted = 0n, failed = 0n, clicked = 0n } = totals ?? {}
  return {
    counts: { entered, inside, goal, completed, exited, sent },
    goal_rate: shareOrNull({ part: Number(goal), whole: Number(entered) }),
    recent: {
      days: JOURNEY_RECENT_DAYS,
      accepted,
      failed,
      clicked,
      click_rate: shareOrNull({ part: Number(clicked), whole: Number(accepted) }),
    },
  }
}

const RATE_OR_NULL = [Type.Number(), Type.Null()]

/** A journey in a list: its document with its numbers. */
export const JOURNEY_LINE = Type.Object({
  ...JOURNEY_VIEW.properties,
  counts: Type.Object(
    {
      entered: Type.Integer({
        description: 'How often somebody entered; one person may do so several times.',
      }),
      inside: Type.Integer({ description: 'The number of people inside at this moment.' }),
      goal: Type.Integer({ description: 'How often somebody left by the goal.' }),
      completed: Type.Integer({ description: 'How often somebody reached the end.' }),
      exited: Type.Integer({ description: 'How often somebody left for another reason.' }),
      sent: Type.Integer({ description: 'How often a step sent a notification.' }),
    },
    { description: 'Of all versions and all time.' },
  ),
  goal_rate: Type.Union(RATE_OR_NULL, {
    description: 'goal divided by entered, between 0 and 1; null when nobody entered.',
  }),
  recent: Type.Object(
    {
      days: Type.Integer(),
      accepted: Type.Integer({ description: 'Messages that a push service took.' }),
      failed: Type.Integer({ description: 'Messages that failed for good.' }),
      clicked: Type.Integer({ description: 'Messages that were clicked.' }),
      click_rate: Type.Union(RATE_OR_NULL, {
        description: 'clicked divided by accepted; null when nothing was accepted.',
      }),
    },
    { description: `The messages and clicks of the last ${JOURNEY_RECENT_DAYS} days.` },
  ),
})
