import { SEGMENT_CONDITIONS, SEGMENT_LIMITS, type SegmentCondition } from '../../rules/segments.ts'
import { accept, type Result, reject } from '../result.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import { isGivenUp, type Node, type Reading, readName, refuseNode } from './place.ts'
import { readAttribute, readEvent, readField, readReference } from './reading.ts'
import type { WrittenFilter } from './segment.ts'

/** A filter in the form it is written and stored, or the path of every node that cannot be: `filter.all[1].tag`. */
export function parseFilter(
  value: unknown,
  path: string,
  { isJudged }: Pick<Reading, 'isJudged'> = { isJudged: true },
): Result<WrittenFilter> {
  const reading: Reading = { faults: [], nodes: 0, isJudged }
  const filter = readNode(reading, { path, value, depth: 1 })
  const [first, ...others] = reading.faults
  if (first !== undefined) return reject(first, ...others)
  if (filter === null) throw new Error('a filter was refused without a fault')
  return accept(filter)
}

type ReadCondition = (reading: Reading, node: Node, whole: JsonObject) => WrittenFilter | null

/** How each condition is read. `whole` is the object that the key stands in, with what stands beside it. */
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
  attribute: readAttribute,
  event: readEvent,
  field: readField,
  segment: readReference,
}

function readNode(reading: Reading, { path, value, depth }: Node): WrittenFilter | null {
  reading.nodes += 1
  const { isJudged, nodes } = reading
  if (isJudged && nodes > SEGMENT_LIMITS.nodesMax) {
    return refuseNode(reading, path, `a filter may have at most ${SEGMENT_LIMITS.nodesMax} nodes`)
  }
  if (isJudged && depth > SEGMENT_LIMITS.depthMax) {
    return refuseNode(reading, path, `a filter may be at most ${SEGMENT_LIMITS.depthMax} levels deep`)
  }
  const whole = isJsonObject(value) ? value : {}
  const [key, ...more] = Object.keys(whole).filter(isCondition)
  if (key === undefined || more.length > 0) {
    return refuseNode(reading, path, `it must be an object with one key of ${KEYS}`)
  }
  const beside: readonly string[] = SEGMENT_CONDITIONS[key].beside
  const stray = Object.keys(whole).find((name) => name !== key && !beside.includes(name))
  if (isJudged && stray !== undefined) {
    return refuseNode(reading, path, `unknown key \`${stray.slice(0, 50)}\`; ${keysBeside(key, beside)}`)
  }
  return CONDITIONS[key](reading, { path: `${path}.${key}`, value: whole[key], depth }, whole)
}

/** The keys to write instead of an unknown one. */
function keysBeside(key: SegmentCondition, beside: readonly string[]): string {
  if (beside.includes('is')) return 'write `"is": "eq", "value": …`'
  return beside.length === 0 ? `${key} stands alone` : `beside ${key} write ${beside.join(', ')}`
}

const KEYS = Object.keys(SEGMENT_CONDITIONS).join(', ')

function isCondition(key: string): key is SegmentCondition {
  return Object.hasOwn(SEGMENT_CONDITIONS, key)
}

/** A group of nothing would hold for everybody or for nobody; neither is what someone meant to write. */
function readNodes(reading: Reading, { path, value, depth }: Node): readonly WrittenFilter[] | null {
  if (!Array.isArray(value) || value.length === 0) {
    return refuseNode(reading, path, 'it must be a list of at least one filter')
  }
  const filters: WrittenFilter[] = []
  for (const [at, part] of value.entries()) {
    const filter = readNode(reading, { path: `${path}[${at}]`, value: part, depth: depth + 1 })
    if (filter !== null) filters.push(filter)
    if (isGivenUp(reading)) break
  }
  return filters
}

function groupOf(kind: 'all' | 'any', of: readonly WrittenFilter[] | null): WrittenFilter | null {
  return of === null ? null : { kind, of }
}

function readUsers(reading: Reading, { path, value, depth }: Node): readonly string[] | null {
  if (!Array.isArray(value) || (reading.isJudged && value.length > SEGMENT_LIMITS.usersMax)) {
    return refuseNode(reading, path, `it must be a list of at most ${SEGMENT_LIMITS.usersMax} user ids`)
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
