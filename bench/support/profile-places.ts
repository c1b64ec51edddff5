/** What of V8's profile is read here. */
export type CpuProfile = {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string }
  }[]
  readonly samples?: readonly number[]
  /** Microseconds since the sample before. */
  readonly timeDeltas?: readonly number[]
}

/** The microseconds that each place of the program took by itself, without those that it called. */
export function placesOf({ nodes, samples = [], timeDeltas = [] }: CpuProfile): ReadonlyMap<string, number> {
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]))
  const micros = new Map<string, number>()
  for (const [at, sample] of samples.entries()) {
    const place = places.get(sample)
    if (place === undefined || place === null) continue
    micros.set(place, (micros.get(place) ?? 0) + (timeDeltas[at] ?? 0))
  }
  return micros
}

/** The largest places; the rest together are the last one. */
export function largestOf(
  micros: ReadonlyMap<string, number>,
  count: number,
): readonly (readonly [string, number])[] {
  const sorted = [...micros].toSorted(([, a], [, b]) => b - a)
  const rest = sorted.slice(count).reduce((sum, [, each]) => sum + each, 0)
  return rest === 0 ? sorted : [...sorted.slice(0, count), ['the rest', rest]]
}

/** A folder of ours, a module of Node, a package, or a task of the engine; null for time that does not count. */
function placeOf({ functionName, url }: CpuProfile['nodes'][number]['callFrame']): string | null {
  // The profiler itself is not part of the work.
  if (functionName === '(idle)' || url.includes('inspector')) return null
  if (functionName === '(garbage collector)') return 'garbage collector'
  if (functionName === '(program)') return 'Node outside of JavaScript'
  const [, own] = /\/(src\/\w+(?:\/[\w-]+(?=\/))?)/.exec(url) ?? []
  if (own !== undefined) return own
  const [, library] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
  if (library !== undefined) return library
  if (url.startsWith('node:')) return url.replace(/^node:(?:internal\/)?/, 'node:').replace(/\/.*$/, '')
  return url === '' ? `native ${functionName === '' ? 'code' : functionName}` : 'other code'
}
