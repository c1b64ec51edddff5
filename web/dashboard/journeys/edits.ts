import type { JourneyStepKind } from '../../../src/rules/journey-steps.ts'
import { JOURNEY_END } from '../../../src/rules/journeys.ts'
import { type Draft, type Fields, idOf, setWay, type WayFrom, waysOf } from './draft.ts'

/** The content of a new step of each kind. */
const BEGINNINGS: Readonly<Record<JourneyStepKind, Fields>> = {
  send: { send: { to: 'anywhere', title: '', message: '' } },
  wait: { wait: { hours: 1 } },
  wait_until: { wait_until: { at: '09:00' } },
  wait_for: { wait_for: { event: '', within: { days: 1 } } },
  branch: { branch: { filter: { tag: '' } } },
  split: { split: [{ percent: 50 }, { percent: 50 }] },
  set: { set: { add_tag: '' } },
  webhook: { webhook: { endpoint_id: '' } },
}

type Added = { readonly draft: Draft; readonly id: string }

/** Puts a step into a way: the way leads to it, and all of its own ways to where the way led before. */
export function addStep(draft: Draft, kind: JourneyStepKind, at: WayFrom): Added {
  const id = freeId(draft, kind)
  const to = targetOf(draft, at)
  const bare: Fields = { id, ...BEGINNINGS[kind] }
  const step = waysOf(bare).reduce((made, { place }) => setWay(made, place, to), bare)
  const steps = draft.steps.map((one) => (idOf(one) === at.from ? setWay(one, at.place, id) : one))
  const index = steps.findIndex((one) => idOf(one) === at.from) + 1
  return { draft: { ...draft, steps: steps.toSpliced(index, 0, step) }, id }
}

function freeId({ steps }: Draft, kind: string): string {
  const taken = new Set(steps.map(idOf))
  const names = Array.from({ length: steps.length + 1 }, (_, index) =>
    index === 0 ? kind : `${kind}_${index + 1}`,
  )
  return names.find((name) => !taken.has(name)) ?? kind
}

function targetOf({ steps }: Draft, { from, place }: WayFrom): string {
  const [first] = steps
  if (from === null) return first === undefined ? JOURNEY_END : idOf(first)
  const step = steps.find((one) => idOf(one) === from)
  return waysOf(step ?? {}).find((way) => way.place === place)?.to ?? JOURNEY_END
}

/** Takes a step out. Ways to it lead on to where its first way led. */
export function removeStep(draft: Draft, id: string): Draft {
  const gone = draft.steps.find((step) => idOf(step) === id)
  const way = gone === undefined ? undefined : waysOf(gone)[0]
  const heir = way === undefined || way.to === id ? JOURNEY_END : way.to
  const steps = draft.steps.filter((step) => idOf(step) !== id)
  const successor = steps.find((step) => idOf(step) === heir)
  const isFirst = gone !== undefined && draft.steps[0] === gone
  const moved =
    isFirst && successor !== undefined ? [successor, ...steps.filter((one) => one !== successor)] : steps
  return { ...draft, steps: moved.map((step) => redirect(step, id, heir)) }
}

function redirect(step: Fields, from: string, to: string): Fields {
  return waysOf(step).reduce((made, way) => (way.to === from ? setWay(made, way.place, to) : made), step)
}

/** Leads a way elsewhere. The trigger leads to the first step, so its way moves that step to the front. */
export function connect(draft: Draft, { from, place }: WayFrom, to: string): Draft {
  const { steps } = draft
  if (from !== null)
    return { ...draft, steps: steps.map((step) => (idOf(step) === from ? setWay(step, place, to) : step)) }
  const first = steps.find((step) => idOf(step) === to)
  return first === undefined ? draft : { ...draft, steps: [first, ...steps.filter((step) => step !== first)] }
}

/** Gives a step another name, and every way to it too. A name that is taken changes nothing. */
export function renameStep(draft: Draft, id: string, name: string): Draft {
  const isTaken = name === JOURNEY_END || name === '' || draft.steps.some((step) => idOf(step) === name)
  if (isTaken) return draft
  const steps = draft.steps.map((step) => (idOf(step) === id ? { ...step, id: name } : step))
  return { ...draft, steps: steps.map((step) => redirect(step, id, name)) }
}

export function changeStep(draft: Draft, id: string, changed: Fields): Draft {
  return { ...draft, steps: draft.steps.map((step) => (idOf(step) === id ? changed : step)) }
}
