import { nodeOf, TRIGGER_NODE } from './graph.ts'

export type PathNote = { readonly step: string | null; readonly code: string }

/** The nodes that a person has passed, and the edges by their two ends. */
export type Lit = { readonly nodes: ReadonlySet<string>; readonly edges: ReadonlySet<string> }

export function litBy(path: readonly PathNote[]): Lit {
  const visited = path.flatMap(({ step }) => (step === null ? [] : [nodeOf(step)]))
  const chain = [TRIGGER_NODE, ...visited.filter((node, index) => node !== visited[index - 1])]
  const edges = chain.slice(1).map((node, index) => edgeBetween(chain[index] ?? '', node))
  const isComplete = path.at(-1)?.code === 'completed'
  const last = isComplete ? [edgeBetween(chain.at(-1) ?? '', 'end')] : []
  return { nodes: new Set(isComplete ? [...chain, 'end'] : chain), edges: new Set([...edges, ...last]) }
}

export function edgeBetween(from: string, to: string): string {
  return `${from}\n${to}`
}
