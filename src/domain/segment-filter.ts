import { SEGMENT_CONDITIONS, SEGMENT_LIMITS, type SegmentCondition } from '../rules/segment-limits.ts'
import { type Fault, fault } from './fault.ts'
import { accept, type Result, reject } from './result.ts'
import type { Filter } from './segment.ts'
import { flawOf, isLonger } from './text.ts'
import { unreachable } from './unreachable.ts'

/** A filter in the form it is written and stored, or the path of every node that cannot be: `filter.all[1].tag`. */
export function parseFilter(value: unknown, path: string): Result<Filter> {
  const reading: Reading = { faults: [], nodes: 0 }
  const filter = readNode(reading, { path, value, depth: 1 })
  const [first, ...others] = reading.faults
  if (first !== undefined) return reject(first, ...others)
  if (filter === null) throw new Error('a filter was refused without a fault')
  return accept(filter)
}

/** The stored form of a filter; `parseFilter` gives the filter back. */
export function encodeFilter(filter: Filter): object {
  switch (filter.kind) {
    case 'all':
      return { all: filter.of.map(encodeFilter) }
    case 'any':
      return { any: filter.of.map(encodeFilter) }
    case 'not':
      return { not: encodeFilter(filter.of) }
    case 'tag':
      return { tag: filter.tag }
    case 'users':
      return { users: filter.userIds }
    default:
      return unreachable(filter)
  }
}

/** What is gathered on the way through the tree. */
type Reading = { readonly faults: Fault[]; nodes: number }

type Node = { readonly path: string; readonly value: unknown; readonly depth: number }

type ReadCondition = (reading: Reading, node: Node) => Filter | null

/** How each condition is read. A new kind of condition is a row here, a case above and one in `segment.ts`. */
const CONDITIONS: Readonly<Record<SegmentCondition, ReadCondition>> = {
  all: (reading, node) => groupOf('all', readNodes(reading, node)),
  any: (reading, node) => groupOf('any', readNodes(reading, node)),
  not: (reading, node) => {
    const of = readNode(reading, { ...node, depth: node.depth + 1 })
    return of === null ? null : { kind: 'not', of }
  },
  tag: (reading, node) => {
    const tag = readName(reading, node, SEGMENT_LIMITS.tagCharsMax)
    return tag === null ? null : { kind: 'tag', tag }
  },
  users: (reading, node) => {
    const userIds = readUsers(reading, node)
    return userIds === null ? null : { kind: 'users', userIds }
  },
}

function readNode(reading: Reading, { path, value, depth }: Node): Filter | null {
  reading.nodes += 1
  if (reading.nodes > SEGMENT_LIMITS.nodesMax) {
    return refuse(reading, path, `a filter may have at most ${SEGMENT_LIMITS.nodesMax} nodes`)
  }
  if (depth > SEGMENT_LIMITS.depthMax) {
    return refuse(reading, path, `a filter may be at most ${SEGMENT_LIMITS.depthMax} levels deep`)
  }
  const [entry, ...others] = typeof value === 'object' && value !== null ? Object.entries(value) : []
  const [key, part]: readonly [string, unknown] = entry ?? ['', null]
  if (!isCondition(key) || others.length > 0) {
    return refuse(reading, path, `it must be an object with one key of ${KEYS}`)
  }
  return CONDITIONS[key](reading, { path: `${path}.${key}`, value: part, depth })
}

const KEYS = Object.keys(SEGMENT_CONDITIONS).join(', ')

function isCondition(key: string): key is SegmentCondition {
  return Object.hasOwn(SEGMENT_CONDITIONS, key)
}

/** A group of nothing would hold for everybody or for nobody; neither is what someone meant to write. */
function readNodes(reading: Reading, { path, value, depth }: Node): readonly Filter[] | null {
  if (!Array.isArray(value) || value.length === 0) {
    refuse(reading, path, 'it must be a list of at least one filter')
    return null
  }
  const filters: Filter[] = []
  for (const [at, part] of value.entries()) {
    const filter = readNode(reading, { path: `${path}[${at}]`, value: part, depth: depth + 1 })
    if (filter !== null) filters.push(filter)
    if (isGivenUp(reading)) break
  }
  return filters
}

function groupOf(kind: 'all' | 'any', of: readonly Filter[] | null): Filter | null {
  return of === null ? null : { kind, of }
}

function readUsers(reading: Reading, { path, value, depth }: Node): readonly string[] | null {
  if (!Array.isArray(value) || value.length > SEGMENT_LIMITS.usersMax) {
    return refuse(reading, path, `it must be a list of at most ${SEGMENT_LIMITS.usersMax} user ids`)
  }
  const userIds = new Set<string>()
  for (const [at, item] of value.entries()) {
    const node = { path: `${path}[${at}]`, value: item, depth }
    const userId = readName(reading, node, SEGMENT_LIMITS.userCharsMax)
    if (userId !== null) userIds.add(userId)
    if (isGivenUp(reading)) break
  }
  return [...userIds]
}

function readName(reading: Reading, { path, value }: Node, charsMax: number): string | null {
  if (typeof value !== 'string' || value === '' || isLonger(value, charsMax)) {
    return refuse(reading, path, `it must be a string of 1 to ${charsMax} characters`)
  }
  const flaw = flawOf(value)
  return flaw === null ? value : refuse(reading, path, flaw)
}

function refuse(reading: Reading, path: string, detail: string): null {
  if (reading.faults.length < SEGMENT_LIMITS.faultsMax) {
    reading.faults.push(fault('filter_invalid', path, { detail }))
  }
  return null
}

function isGivenUp({ faults, nodes }: Reading): boolean {
  return faults.length >= SEGMENT_LIMITS.faultsMax || nodes > SEGMENT_LIMITS.nodesMax
}
