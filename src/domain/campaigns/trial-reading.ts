import { GOAL_DOCUMENTS } from '../../rules/goals.ts'
import { SEGMENT_DOCUMENTS } from '../../rules/segments.ts'
import { TRIAL_DOCUMENTS, TRIAL_LIMITS, WINNER_FIGURES, type WinnerFigure } from '../../rules/trials.ts'
import { type Fault, fault } from '../fault.ts'
import type { Variant } from '../push/alternatives.ts'
import { accept, type Result, reject } from '../result.ts'
import { numberAt, textAt, wordAt } from '../values/checked.ts'
import { fits } from '../values/document.ts'
import { type DocumentReading, startReading } from '../values/document-reading.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import { type Path, pathTo } from '../values/path.ts'
import type { Goal } from './goal.ts'
import { readStoredGoal } from './stored-goal.ts'

/** How a campaign divides its people, and what it is to bring about. */
export type CampaignTrial = {
  /** Empty when everybody gets the same. */
  readonly variants: readonly Variant[]
  readonly holdoutPercent: number
  readonly winner: CampaignWinner | null
  readonly goal: Goal | null
}

export type CampaignWinner = {
  readonly by: WinnerFigure
  readonly testPercent: number
  readonly afterHours: number
  readonly confidence: number
  /** The place of the variant that is sent if no difference is found. */
  readonly otherwise: number
}

/** Reads the variants, the holdout, the winner and the goal of a campaign's document. */
export function parseCampaignTrial(
  document: JsonObject,
  { isJudged }: Pick<DocumentReading, 'isJudged'> = { isJudged: true },
): Result<CampaignTrial> {
  const reading = startReading(DOCUMENTS, { kind: 'campaign', isJudged })
  const written = Array.isArray(document['variants']) ? document['variants'] : []
  const checks = [
    ...written.map((value, at) => ({ name: 'CampaignVariant', path: pathTo('variants', at), value })),
    ...named(document, 'winner', 'CampaignWinner'),
    ...named(document, 'goal', 'CampaignGoal'),
  ]
  const areFine = checks
    .map(({ name, path, value }) => fits(reading, { type: 'named', name }, { path, value }))
    .every(Boolean)
  const [first, ...others] = areFine ? flawsOf(document, written.filter(isJsonObject)) : reading.faults
  if (first !== undefined) return reject(first, ...others)
  return accept(trialOf(document, written.filter(isJsonObject)))
}

const DOCUMENTS = { ...SEGMENT_DOCUMENTS, ...TRIAL_DOCUMENTS, ...GOAL_DOCUMENTS }

function named(document: JsonObject, path: 'winner' | 'goal', name: string) {
  const value = document[path]
  return value === undefined || value === null ? [] : [{ name, path, value }]
}

/** Flaws that no part has alone. */
function flawsOf(document: JsonObject, variants: readonly JsonObject[]): readonly Fault[] {
  const names = variants.map((variant) => textAt(variant, 'name'))
  const isSent = variants.some((variant) => numberAt(variant, 'weight') > 0)
  const { variantsMin, confidenceMin, confidenceMax } = TRIAL_LIMITS
  const winner = isJsonObject(document['winner']) ? document['winner'] : null
  const confidence = winner === null ? TRIAL_LIMITS.confidenceDefault : confidenceOf(winner)
  return [
    ...(document['variants'] !== undefined && names.length < variantsMin
      ? [invalid('variants', `there must be at least ${variantsMin}`)]
      : []),
    ...(new Set(names).size < names.length ? [invalid('variants', 'two of them have the same name')] : []),
    ...(names.length > 0 && !isSent ? [invalid('variants', 'one of them must have a weight above 0')] : []),
    ...(winner !== null && names.length === 0
      ? [invalid('winner', 'there are no variants to choose from')]
      : []),
    ...(winner !== null && names.length > 0 && !names.includes(textAt(winner, 'otherwise'))
      ? [invalid('winner.otherwise', `it must be one of ${names.join(', ')}`)]
      : []),
    ...(winner !== null && textAt(winner, 'by') === 'goal' && !isJsonObject(document['goal'])
      ? [invalid('winner.by', 'the campaign has no goal')]
      : []),
    ...(confidence < confidenceMin || confidence > confidenceMax
      ? [invalid('winner.confidence', `it must be ${confidenceMin} to ${confidenceMax}`)]
      : []),
  ]
}

function invalid(field: Path, detail: string): Fault {
  return fault('campaign_invalid', field, { detail })
}

function trialOf(document: JsonObject, written: readonly JsonObject[]): CampaignTrial {
  const { winner, goal, holdout_percent: holdout } = document
  const variants = written.map((one) => ({ name: textAt(one, 'name'), weight: numberAt(one, 'weight') }))
  return {
    variants,
    holdoutPercent: Number(holdout ?? 0),
    winner: isJsonObject(winner) ? winnerOf(winner, variants) : null,
    goal: isJsonObject(goal) ? readStoredGoal(goal) : null,
  }
}

function winnerOf(written: JsonObject, variants: readonly Variant[]): CampaignWinner {
  const otherwise = textAt(written, 'otherwise')
  return {
    by: wordAt(written, 'by', WINNER_FIGURES),
    testPercent: numberAt(written, 'test_percent'),
    afterHours: numberAt(written, 'after_hours'),
    confidence: confidenceOf(written),
    otherwise: variants.findIndex(({ name }) => name === otherwise),
  }
}

function confidenceOf(winner: JsonObject): number {
  return winner['confidence'] === undefined ? TRIAL_LIMITS.confidenceDefault : numberAt(winner, 'confidence')
}
