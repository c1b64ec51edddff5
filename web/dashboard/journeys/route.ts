import { NODE_HEIGHT, type Point } from './layout.ts'

const RADIUS = 9
const BELOW_PX = 15
const ABOVE_PX = 20

export type RouteEnds = { readonly from: Point; readonly to: Point; readonly via: readonly Point[] }

/** The way of an edge in right angles: down past the steps of each row, or back up in its lane at the right. */
export function routeOf({ from, to, via }: RouteEnds): string {
  const isBack = to.y <= from.y
  return pathOf(isBack ? backOf({ from, to, via }) : downOf({ from, to, via }))
}

function backOf({ from, to, via }: RouteEnds): readonly Point[] {
  const x = via[0]?.x ?? Math.max(from.x, to.x)
  const low = from.y + BELOW_PX
  const high = to.y - ABOVE_PX
  return [from, { x: from.x, y: low }, { x, y: low }, { x, y: high }, { x: to.x, y: high }, to]
}

function downOf({ from, to, via }: RouteEnds): readonly Point[] {
  const stops = [
    ...via.flatMap(({ x, y }) => [
      { x, y },
      { x, y: y + NODE_HEIGHT },
    ]),
    to,
  ]
  const points: Point[] = [from]
  for (const stop of stops) {
    const last = points.at(-1) ?? from
    const middle = (last.y + stop.y) / 2
    if (last.x !== stop.x) points.push({ x: last.x, y: middle }, { x: stop.x, y: middle })
    points.push(stop)
  }
  return points
}

/** Straight lines with round corners. */
function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points
  if (first === undefined) return ''
  const parts = rest.map((point, index) => {
    const before = points[index] ?? first
    const after = rest[index + 1]
    if (after === undefined) return `L ${point.x} ${point.y}`
    const into = towards(point, before)
    const out = towards(point, after)
    return `L ${into.x} ${into.y} Q ${point.x} ${point.y} ${out.x} ${out.y}`
  })
  return [`M ${first.x} ${first.y}`, ...parts].join(' ')
}

function towards(corner: Point, end: Point): Point {
  const length = Math.hypot(end.x - corner.x, end.y - corner.y)
  const share = length === 0 ? 0 : Math.min(RADIUS, length / 2) / length
  return { x: corner.x + (end.x - corner.x) * share, y: corner.y + (end.y - corner.y) * share }
}
