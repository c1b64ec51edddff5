export type Point = { readonly x: number; readonly y: number }
export type LaidEdge = { readonly id: string; readonly from: string; readonly to: string }
export type Layout = {
  /** The middle of the upper edge of each node. */
  readonly nodes: ReadonlyMap<string, Point>
  /** The points that an edge passes between its ends; a way back passes beside everything. */
  readonly edges: ReadonlyMap<string, readonly Point[]>
  readonly width: number
  readonly height: number
}

export const NODE_WIDTH = 232
export const NODE_HEIGHT = 78
const ROW_PX = NODE_HEIGHT + 66
const GAP_PX = 36
const BEND_WIDTH = 40
const LANE_PX = 26
const SWEEPS = 6

/** A place in a row: a node, or the bend of an edge that passes the row. */
type Place = { readonly key: string; readonly width: number; x: number }
type Link = { readonly from: string; readonly to: string }

/**
 * Lays a graph out from top to bottom. Every node stands a row below the last of those that lead to it; ways back are left
 * out of that. Edges that pass a row have a place of their own in it, so that they cross no node.
 */
export function layOut(ids: readonly string[], edges: readonly LaidEdge[], lowest: string): Layout {
  const { back, order } = walk(ids, edges)
  const forward = edges.filter((edge) => !back.has(edge.id))
  const rows = rowsOf(order, forward, lowest)
  const { grid, links, bends } = placesOf(order, forward, rows)
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) sortRows(grid, links, sweep % 2 === 0)
  for (const row of grid)
    spread(
      row,
      row.map((_, index) => index * (NODE_WIDTH + GAP_PX)),
    )
  for (let sweep = 0; sweep < SWEEPS * 2; sweep += 1) pull(grid, links, sweep % 2 === 0)
  return measured({ grid, rows, bends, edges, back })
}

/** Depth first, in the order of the ways: which edges lead back to a node on the way there, and who comes before whom. */
function walk(ids: readonly string[], edges: readonly LaidEdge[]) {
  const back = new Set<string>()
  const state = new Map<string, 'open' | 'done'>()
  const finished: string[] = []
  const visit = (id: string): void => {
    state.set(id, 'open')
    for (const edge of edges.filter(({ from }) => from === id)) {
      if (state.get(edge.to) === 'open') back.add(edge.id)
      else if (!state.has(edge.to)) visit(edge.to)
    }
    state.set(id, 'done')
    finished.push(id)
  }
  for (const id of ids) if (!state.has(id)) visit(id)
  return { back, order: finished.toReversed() }
}

function rowsOf(order: readonly string[], forward: readonly LaidEdge[], lowest: string): Map<string, number> {
  const rows = new Map<string, number>()
  for (const id of order) {
    const above = forward.filter(({ to }) => to === id).map(({ from }) => rows.get(from) ?? 0)
    rows.set(id, Math.max(-1, ...above) + 1)
  }
  const others = [...rows].filter(([id]) => id !== lowest).map(([, row]) => row)
  if (rows.has(lowest)) rows.set(lowest, Math.max(-1, ...others) + 1)
  return rows
}

function placesOf(order: readonly string[], forward: readonly LaidEdge[], rows: ReadonlyMap<string, number>) {
  const grid: Place[][] = Array.from({ length: Math.max(-1, ...rows.values()) + 1 }, () => [])
  for (const id of order) grid[rows.get(id) ?? 0]?.push({ key: id, width: NODE_WIDTH, x: 0 })
  const links: Link[] = []
  const bends = new Map<string, Place[]>()
  for (const { id, from, to } of forward) {
    const passed: Place[] = []
    const last = rows.get(to) ?? 0
    for (let row = (rows.get(from) ?? 0) + 1; row < last; row += 1) {
      const bend = { key: `${id} ${row}`, width: BEND_WIDTH, x: 0 }
      grid[row]?.push(bend)
      passed.push(bend)
    }
    const chain = [from, ...passed.map(({ key }) => key), to]
    chain.slice(1).forEach((key, index) => links.push({ from: chain[index] ?? from, to: key }))
    bends.set(id, passed)
  }
  return { grid, links, bends }
}

/** Orders each row by the middle of its neighbours in the row before, downwards or upwards. */
function sortRows(grid: Place[][], links: readonly Link[], isDown: boolean): void {
  const indices = isDown ? grid.keys() : [...grid.keys()].toReversed()
  for (const index of indices) {
    const before = grid[isDown ? index - 1 : index + 1]
    const row = grid[index]
    if (before === undefined || row === undefined) continue
    const at = new Map(before.map(({ key }, place) => [key, place]))
    const middle = new Map(
      row.map(({ key }, place) => [key, meanOf(neighbours(key, links, isDown), at) ?? place]),
    )
    row.sort((one, other) => (middle.get(one.key) ?? 0) - (middle.get(other.key) ?? 0))
  }
}

/** The other ends of a place's links. Ways of one step are told apart by a hair, so that `yes` stays left of `no`. */
function neighbours(key: string, links: readonly Link[], isDown: boolean): readonly [string, number][] {
  const found = links.filter((link) => (isDown ? link.to : link.from) === key)
  return found.map((link) => {
    const end = isDown ? link.from : link.to
    const siblings = links.filter((one) => (isDown ? one.from : one.to) === end)
    return [end, siblings.indexOf(link) / 100]
  })
}

function meanOf(ends: readonly [string, number][], at: ReadonlyMap<string, number>): number | null {
  const places = ends.flatMap(([key, hair]) => {
    const place = at.get(key)
    return place === undefined ? [] : [place + hair]
  })
  return places.length === 0 ? null : places.reduce((sum, one) => sum + one, 0) / places.length
}

/** Draws each place towards its neighbours in the row before, and keeps the places of a row apart. */
function pull(grid: Place[][], links: readonly Link[], isDown: boolean): void {
  const at = new Map(grid.flat().map((place) => [place.key, place]))
  for (const row of isDown ? grid : grid.toReversed()) {
    const wanted = row.map(({ key, x }) => {
      const xs = neighbours(key, links, isDown).flatMap(([end]) => at.get(end)?.x ?? [])
      return xs.length === 0 ? x : xs.reduce((sum, one) => sum + one, 0) / xs.length
    })
    spread(row, wanted)
  }
}

/** As near to the wanted places as the widths allow: the mean of pushing everything right and pushing everything left. */
function spread(row: readonly Place[], wanted: readonly number[]): void {
  const apart = (one: Place, other: Place): number => (one.width + other.width) / 2 + GAP_PX
  const right: number[] = []
  row.forEach((place, index) => {
    const before = row[index - 1]
    const least =
      before === undefined ? Number.NEGATIVE_INFINITY : (right[index - 1] ?? 0) + apart(before, place)
    right.push(Math.max(wanted[index] ?? 0, least))
  })
  const left: number[] = []
  for (const [index, place] of [...row.entries()].toReversed()) {
    const after = row[index + 1]
    const most = after === undefined ? Number.POSITIVE_INFINITY : (left[index + 1] ?? 0) - apart(place, after)
    left[index] = Math.min(wanted[index] ?? 0, most)
  }
  row.forEach((place, index) => {
    place.x = ((right[index] ?? 0) + (left[index] ?? 0)) / 2
  })
}

type Placed = {
  readonly grid: readonly (readonly Place[])[]
  readonly rows: ReadonlyMap<string, number>
  readonly bends: ReadonlyMap<string, readonly Place[]>
  readonly edges: readonly LaidEdge[]
  readonly back: ReadonlySet<string>
}

function measured({ grid, rows, bends, edges, back }: Placed): Layout {
  const places = grid.flat()
  const leftmost = Math.min(0, ...places.map(({ x, width }) => x - width / 2))
  const rightmost = Math.max(0, ...places.map(({ x, width }) => x + width / 2)) - leftmost
  const nodes = new Map<string, Point>()
  for (const { key, x } of places) {
    const row = rows.get(key)
    if (row !== undefined) nodes.set(key, { x: x - leftmost, y: row * ROW_PX })
  }
  const lanes = [...back]
  const points = edges.map(({ id, from, to }): [string, readonly Point[]] => {
    if (!back.has(id)) {
      const first = (rows.get(from) ?? 0) + 1
      const passed = bends.get(id) ?? []
      return [id, passed.map(({ x }, index) => ({ x: x - leftmost, y: (first + index) * ROW_PX }))]
    }
    const x = rightmost + LANE_PX * (lanes.indexOf(id) + 1)
    return [
      id,
      [
        { x, y: nodes.get(from)?.y ?? 0 },
        { x, y: nodes.get(to)?.y ?? 0 },
      ],
    ]
  })
  const width = rightmost + LANE_PX * (lanes.length + 1)
  return { nodes, edges: new Map(points), width, height: grid.length * ROW_PX }
}
