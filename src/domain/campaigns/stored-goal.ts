import { GOAL_STARTS } from '../../rules/goals.ts'
import { matchOf } from '../journeys/steps.ts'
import { numberAt, wordAt } from '../values/checked.ts'
import type { JsonObject } from '../values/json.ts'
import type { Goal } from './goal.ts'

/** The goal of a document whose shape was checked. */
export function readStoredGoal(written: JsonObject): Goal {
  return {
    match: matchOf(written),
    from: wordAt(written, 'from', GOAL_STARTS),
    withinMs: numberAt(written, 'within_days') * DAY_MS,
  }
}

const DAY_MS = 86_400_000
