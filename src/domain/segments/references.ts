import { SEGMENT_LIMITS } from '../../rules/segments.ts'
import { type Fault, fault } from '../fault.ts'
import { type Path, pathTo } from '../values/path.ts'
import type { Filter, WrittenFilter } from './segment.ts'

type FoundReference = { readonly id: bigint; readonly path: Path }

/** The segments that a filter refers to, and where. */
export function referencesIn(filter: WrittenFilter, path: Path = 'filter'): readonly FoundReference[] {
  const own = pathTo(path, filter.kind)
  if (filter.kind === 'segment') return [{ id: filter.id, path: own }]
  if (filter.kind === 'not') return referencesIn(filter.of, own)
  if (filter.kind !== 'all' && filter.kind !== 'any') return []
  return filter.of.flatMap((part, at) => referencesIn(part, pathTo(own, at)))
}

/** How many nodes a filter has, as it is written. */
export function nodesIn(filter: WrittenFilter): number {
  if (filter.kind === 'not') return 1 + nodesIn(filter.of)
  if (filter.kind !== 'all' && filter.kind !== 'any') return 1
  return filter.of.reduce((sum, part) => sum + nodesIn(part), 1)
}

/** The filter with every reference replaced by the filter of its segment. All of them must be there, without a cycle. */
export function inlineSegments(filter: WrittenFilter, others: ReadonlyMap<bigint, WrittenFilter>): Filter {
  if (filter.kind === 'not') return { kind: 'not', of: inlineSegments(filter.of, others) }
  if (filter.kind === 'all' || filter.kind === 'any') {
    return { kind: filter.kind, of: filter.of.map((part) => inlineSegments(part, others)) }
  }
  if (filter.kind !== 'segment') return filter
  const other = others.get(filter.id)
  if (other === undefined) throw new Error(`segment ${filter.id} is referred to and was not loaded`)
  return inlineSegments(other, others)
}

/** Which segments every other refers to; one that refers to none may be left out. */
export type ReferenceGraph = ReadonlyMap<bigint, readonly bigint[]>

/**
 * The faults in the references of a segment that is about to be saved: a reference to a segment that does not exist, a
 * chain of references that returns to this segment, a chain that is too long, or too many references in all. Segments
 * that refer to this one count too. `self` is null for a new segment. A segment that was over a limit before it is
 * changed is refused only if the change adds references. `place` is where the filter stands in the request.
 */
export function referenceFaults(
  filter: WrittenFilter,
  { self, graph, known }: Surroundings,
  place: Path = 'filter',
): readonly Fault[] {
  const { referenceDepthMax, referencesMax, broughtMax } = SEGMENT_LIMITS
  const references = referencesIn(filter, place)
  const above = self === null ? 0 : stepsAbove(self, graph)
  const depthBefore = self === null ? 0 : above + stepsBelow(self, graph)
  const countBefore = self === null ? 0 : (graph.get(self) ?? []).length
  const faults = references.flatMap(({ id, path }) => {
    if (!known.has(id)) return [refusal(path, `there is no segment ${id}`)]
    const isCircle = self !== null && leadsTo({ from: id, to: self }, graph)
    if (isCircle) return [refusal(path, 'it leads back to itself')]
    if (above + 1 + stepsBelow(id, graph) <= Math.max(referenceDepthMax, depthBefore)) return []
    return [refusal(path, `at most ${referenceDepthMax} segments may refer to each other in a row`)]
  })
  if (references.length > Math.max(referencesMax, countBefore)) {
    return [refusal(place, `it may refer to at most ${referencesMax} segments`), ...faults]
  }
  if (faults.length > 0 || !bringsTooMany(references, { self, graph })) return faults
  const detail = `a segment may bring along at most ${broughtMax} others, and it or one that refers to it would bring more`
  return [refusal(place, detail)]
}

type Surroundings = {
  readonly self: bigint | null
  readonly graph: ReferenceGraph
  readonly known: ReadonlySet<bigint>
}

function leadsTo(
  { from, to }: { readonly from: bigint; readonly to: bigint },
  graph: ReferenceGraph,
): boolean {
  return from === to || (graph.get(from) ?? []).some((next) => leadsTo({ from: next, to }, graph))
}

/** The longest chain that begins here. What is stored has no cycle. */
function stepsBelow(id: bigint, graph: ReferenceGraph): number {
  return Math.max(0, ...(graph.get(id) ?? []).map((next) => 1 + stepsBelow(next, graph)))
}

/** The longest chain that ends here. */
function stepsAbove(id: bigint, graph: ReferenceGraph): number {
  const parents = [...graph].filter(([, references]) => references.includes(id))
  return Math.max(0, ...parents.map(([parent]) => 1 + stepsAbove(parent, graph)))
}

/** Whether it, or one above it, would bring along more than may be and than it did. There is no cycle: that was looked at. */
function bringsTooMany(
  references: readonly FoundReference[],
  { self, graph }: Omit<Surroundings, 'known'>,
): boolean {
  const { broughtMax } = SEGMENT_LIMITS
  const ids = references.map(({ id }) => id)
  if (self === null) return sumOf(ids, graph) > broughtMax
  const changed = new Map(graph).set(self, ids)
  const above = [...graph.keys()].filter((id) => leadsTo({ from: id, to: self }, graph))
  return [self, ...above].some((id) => brought(id, changed) > Math.max(broughtMax, brought(id, graph)))
}

/** How many other segments a segment brings along when every reference is replaced by its filter. */
function brought(id: bigint, graph: ReferenceGraph): number {
  return sumOf(graph.get(id) ?? [], graph)
}

function sumOf(ids: readonly bigint[], graph: ReferenceGraph): number {
  return ids.reduce((sum, id) => sum + 1 + brought(id, graph), 0)
}

function refusal(path: string, detail: string): Fault {
  return fault('filter_invalid', path, { detail })
}
