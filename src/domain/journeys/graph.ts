import { JOURNEY_STEPS } from '../../rules/journey-steps.ts'
import { chooseByWeight } from '../values/share.ts'
import type { Journey } from './plan.ts'
import { type SplitWay, type Step, type WaitForStep, type Way, waysOf } from './steps.ts'

type GraphFlaw = { readonly stepId: string; readonly detail: string }

/** The flaws of the graph of steps: a step that no way leads to, and a loop without a wait. */
export function graphFlaws({ first, steps }: Pick<Journey, 'first' | 'steps'>): readonly GraphFlaw[] {
  const reached = reachable(first, steps)
  const lost = [...steps.keys()]
    .filter((id) => !reached.has(id))
    .map((stepId) => ({ stepId, detail: 'no way leads to this step' }))
  const loops = [...steps.keys()]
    .filter((id) => reached.has(id) && returnsAtOnce(id, steps))
    .map((stepId) => ({ stepId, detail: 'it leads back to itself without a wait in between' }))
  return [...lost, ...loops]
}

/** Whether the way after an awaited event can lead to a wait for the same one, there or elsewhere. */
export function awaitsAgain({ yes, match }: WaitForStep, steps: ReadonlyMap<string, Step>): boolean {
  const reached = yes === null ? [] : [...reachable(yes, steps)]
  return reached.some((id) => {
    const step = steps.get(id)
    return step?.kind === 'wait_for' && step.match.event === match.event
  })
}

/**
 * Which way a person takes at a split. It follows from the names alone, so the same person takes the same way each
 * time and in every process; `key` tells one split from another, so that two splits do not send the same people left.
 */
export function splitWay(ways: readonly SplitWay[], key: string): Way {
  const place = chooseByWeight(
    ways.map(({ percent }) => percent),
    key,
  )
  return ways[place]?.way ?? null
}

function reachable(first: string, steps: ReadonlyMap<string, Step>): ReadonlySet<string> {
  return spread([first], steps)
}

/** Whether a step comes round again through steps that do not wait. */
function returnsAtOnce(id: string, steps: ReadonlyMap<string, Step>): boolean {
  const hasty = new Map([...steps].filter(([, step]) => !JOURNEY_STEPS[step.kind].isWait))
  const step = hasty.get(id)
  if (step === undefined) return false
  return spread(
    waysOf(step).filter((way) => way !== null),
    hasty,
  ).has(id)
}

/** Every step that can be come to from these, themselves included. */
function spread(from: readonly string[], steps: ReadonlyMap<string, Step>): ReadonlySet<string> {
  const seen = new Set<string>()
  const left = [...from]
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    const step = steps.get(id)
    if (step === undefined || seen.has(id)) continue
    seen.add(id)
    left.push(...waysOf(step).filter((way) => way !== null))
  }
  return seen
}
