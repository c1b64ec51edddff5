import { JOURNEY_END } from '../../../src/rules/journeys.ts'
import { type Draft, type Fields, fieldsOf, idOf, kindOf, listOf, plainOf, waysOf } from './draft.ts'
import type { LaidEdge } from './layout.ts'

/** The nodes of the canvas: the trigger, every step, and the end. Steps have a prefix, because theirs may be any name. */
export const TRIGGER_NODE = 'trigger'
export const END_NODE = 'end'

export function nodeOf(stepId: string): string {
  return `step:${stepId}`
}

/** The step that a node of the canvas stands for; null for the trigger and the end. */
export function stepOfNode(node: string): string | null {
  return node.startsWith('step:') ? node.slice('step:'.length) : null
}

export type DrawnEdge = LaidEdge & {
  readonly place: string
  /** `yes`, `no` or a share; empty where a step has one way. */
  readonly label: string
}

/** Every way as an edge. A way to a step that is not there is not drawn; the API names it as a fault. */
export function edgesOf({ steps }: Draft): readonly DrawnEdge[] {
  const ids = new Set(steps.map(idOf))
  const [first] = steps
  const entry = { id: 'entry', from: TRIGGER_NODE, place: 'next', label: '' }
  const begin = { ...entry, to: first === undefined ? END_NODE : nodeOf(idOf(first)) }
  const ways = steps.flatMap((step) =>
    waysOf(step)
      .filter(({ to }) => to === JOURNEY_END || ids.has(to))
      .map(({ place, to }) => ({
        id: `${idOf(step)} ${place}`,
        from: nodeOf(idOf(step)),
        to: to === JOURNEY_END ? END_NODE : nodeOf(to),
        place,
        label: labelOf(step, place),
      })),
  )
  return [begin, ...ways]
}

function labelOf(step: Fields, place: string): string {
  if (place === 'next') return ''
  if (kindOf(step) !== 'split') return place
  return `${plainOf(fieldsOf(listOf(step['split'])[Number(place)])['percent'])} %`
}

/** The index of the step that a fault is about (`steps[2].wait_for.event`), with the path within the step. */
export function stepOfFault(field: string | null): { readonly index: number; readonly path: string } | null {
  const found = /^steps\[(\d+)\]\.?(.*)$/.exec(field ?? '')
  return found === null ? null : { index: Number(found[1]), path: found[2] ?? '' }
}

/** Whether two documents say the same, whatever the order of their keys. */
export function isSame(one: unknown, other: unknown): boolean {
  return sorted(one) === sorted(other)
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return String(part)
    const isPlain = typeof part === 'object' && part !== null && !Array.isArray(part)
    return isPlain
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => a.localeCompare(b)))
      : part
  })
}
