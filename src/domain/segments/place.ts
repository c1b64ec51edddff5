import { SEGMENT_LIMITS } from '../../rules/segments.ts'
import { type Fault, fault } from '../fault.ts'
import { flawOf, isLonger } from '../values/text.ts'

/**
 * What is gathered on the way through a filter. One that we stored ourselves is not judged: the rules of the day it was
 * saved held for it, and those of today must not take it away. It is refused only where it cannot be understood.
 */
export type Reading = { readonly faults: Fault[]; nodes: number; readonly isJudged: boolean }

export type Node = { readonly path: string; readonly value: unknown; readonly depth: number }

export function readName(reading: Reading, { path, value }: Node, charsMax: number): string | null {
  const isText = typeof value === 'string'
  if (isText && !reading.isJudged) return value
  if (!isText || value === '' || isLonger(value, charsMax)) {
    return refuseNode(reading, path, `it must be a string of 1 to ${charsMax} characters`)
  }
  const flaw = flawOf(value)
  return flaw === null ? value : refuseNode(reading, path, flaw)
}

/** Notes a bad place, up to a bound. */
export function refuseNode(reading: Pick<Reading, 'faults'>, path: string, detail: string): null {
  if (reading.faults.length < SEGMENT_LIMITS.faultsMax) {
    reading.faults.push(fault('filter_invalid', path, { detail }))
  }
  return null
}

export function isGivenUp({ faults, nodes, isJudged }: Reading): boolean {
  return faults.length >= SEGMENT_LIMITS.faultsMax || (isJudged && nodes > SEGMENT_LIMITS.nodesMax)
}
