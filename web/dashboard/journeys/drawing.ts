import { useMemo } from 'react'
import { useLanguage, useTexts } from '../kit/texts.tsx'
import type { WayEdge } from './canvas-edge.tsx'
import type { PlaceData, PlaceNode } from './canvas-node.tsx'
import { idOf, kindOf, plainOf, waysOf } from './draft.ts'
import { FIELD_TEXTS } from './field-texts.ts'
import { END_NODE, edgesOf, nodeOf, stepOfFault, stepOfNode, TRIGGER_NODE } from './graph.ts'
import { type Layout, layOut, NODE_HEIGHT, NODE_WIDTH } from './layout.ts'
import { edgeBetween, type Lit } from './lit.ts'
import { sayStep, sayTrigger, type Voice } from './say.ts'
import { JOURNEY_TEXTS } from './texts.ts'
import type { Editor } from './use-editor.ts'

export type Drawing = Pick<Layout, 'width' | 'height'> & {
  readonly nodes: readonly PlaceNode[]
  readonly edges: readonly WayEdge[]
}

type Drawn = {
  readonly editor: Editor
  readonly chosen: string | null
  readonly inside: ReadonlyMap<string, number>
  readonly lit: Lit | null
}

export function useVoice(): Voice {
  const { language } = useLanguage()
  const { say, words } = useTexts(FIELD_TEXTS)
  return { language, say, words }
}

/** The draft as nodes and edges of the canvas. Only its shape decides where they stand. */
export function useDrawing({ editor, chosen, inside, lit }: Drawn): Drawing {
  const { draft } = editor
  const rows = usePlaces({ editor, chosen, inside, lit })
  const edges = useMemo(() => edgesOf(draft), [draft])
  const layout = useMemo(
    () => layOut([TRIGGER_NODE, ...draft.steps.map((step) => nodeOf(idOf(step))), END_NODE], edges, END_NODE),
    [draft, edges],
  )
  const nodes = rows.map(([id, data]): PlaceNode => {
    const { x = 0, y = 0 } = layout.nodes.get(id) ?? {}
    const size = { width: NODE_WIDTH, height: NODE_HEIGHT }
    return { id, type: 'place', data, position: { x: x - NODE_WIDTH / 2, y }, ...size }
  })
  const drawn = edges.map(({ id, from, to, place, label }): WayEdge => {
    const isLit = lit?.edges.has(edgeBetween(from, to)) === true
    const at = { from: stepOfNode(from), place }
    const via = layout.edges.get(id) ?? []
    const ends = { source: from, target: to, sourceHandle: place }
    return { id, type: 'way', ...ends, data: { via, at, label, light: lightOf(lit, isLit) } }
  })
  return { nodes, edges: drawn, width: layout.width, height: layout.height }
}

function lightOf(lit: Lit | null, isLit: boolean): PlaceData['light'] {
  if (lit === null) return 'none'
  return isLit ? 'lit' : 'dim'
}

function usePlaces({ editor, chosen, inside, lit }: Drawn): readonly (readonly [string, PlaceData])[] {
  const texts = useTexts(JOURNEY_TEXTS)
  const voice = useVoice()
  const { draft, faults } = editor
  const places = faults.map(({ field }) => stepOfFault(field)?.index ?? null)
  const plain = (
    id: string,
    data: Pick<PlaceData, 'title' | 'text' | 'places' | 'faults'>,
  ): [string, PlaceData] => [
    id,
    {
      ...data,
      kind: null,
      step: null,
      inside: 0,
      isChosen: chosen === id,
      light: lightOf(lit, lit?.nodes.has(id) === true),
    },
  ]
  const steps = draft.steps.map((step, index): [string, PlaceData] => {
    const id = idOf(step)
    return [
      nodeOf(id),
      {
        kind: kindOf(step),
        step: id,
        title: id,
        text: sayStep(step, voice),
        inside: inside.get(id) ?? 0,
        faults: places.filter((place) => place === index).length,
        isChosen: chosen === nodeOf(id),
        light: lightOf(lit, lit?.nodes.has(nodeOf(id)) === true),
        places: waysOf(step).map(({ place }) => place),
      },
    ]
  })
  const goal = draft.goal === null ? '' : ` · ${voice.say.goal(plainOf(draft.goal['event']))}`
  const text = `${sayTrigger(draft.trigger, voice)}${goal}`
  const own = places.filter((place) => place === null).length
  return [
    plain(TRIGGER_NODE, { title: texts.start, text, places: ['next'], faults: own }),
    ...steps,
    plain(END_NODE, { title: texts.end, text: texts.endText, places: [], faults: 0 }),
  ]
}
