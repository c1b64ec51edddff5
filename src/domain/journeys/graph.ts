import { type Journey, type Step, type WaitForStep, waysOf } from './plan.ts'

export type GraphFlaw = { readonly stepId: string; readonly detail: string }

/** What is wrong with how the steps lead to each other: a step that nobody reaches, a loop that never waits. */
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

function reachable(first: string, steps: ReadonlyMap<string, Step>): ReadonlySet<string> {
  return spread([first], steps)
}

/** Whether a step comes round again through steps that do not wait. */
function returnsAtOnce(id: string, steps: ReadonlyMap<string, Step>): boolean {
  const hasty = new Map([...steps].filter(([, step]) => !WAITING.has(step.kind)))
  const step = hasty.get(id)
  if (step === undefined) return false
  return spread(
    waysOf(step).filter((way) => way !== null),
    hasty,
  ).has(id)
}

const WAITING = new Set<Step['kind']>(['wait', 'wait_until', 'wait_for'])

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
