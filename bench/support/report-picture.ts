import { drawCurve } from './curve-picture.ts'
import type { Figure, Kept } from './figures.ts'
import { median } from './median.ts'
import { escaped, shown } from './shown.ts'

/** All results of a benchmark, one below the other: bars for its figures, a plot for each curve. */
export function drawResults(kept: readonly Kept[]): string {
  const drawn: string[] = []
  let top = 0
  for (const one of kept) {
    if (one.kind === 'memory') continue
    const { height, content } = one.kind === 'figure' ? drawFigure(one) : drawCurve(one)
    drawn.push(`<g transform="translate(0 ${top})">\n${content}\n</g>`)
    top += height
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${PLOT_WIDTH + VALUE_WIDTH} ${top}" font-family="sans-serif" font-size="13">
<rect width="100%" height="100%" fill="#ffffff"/>
${drawn.join('\n')}
</svg>
`
}

const PLOT_WIDTH = 640
const LABEL_WIDTH = 200
const VALUE_WIDTH = 110
const HEAD_HEIGHT = 20
const GAP = 12
const BAR_HEIGHT = 20
const COLOURS = {
  ours: '#2563eb',
  part: '#93c5fd',
  peer: '#9ca3af',
  limit: '#059669',
  spread: '#111827',
} as const

type Drawn = { readonly height: number; readonly content: string }
type DrawnBar = { readonly name: string; readonly rounds: readonly number[]; readonly colour: string }

/** Bars for ours, its parts, the peer and the limit. Figures have scales of their own, because their units differ. */
function drawFigure({ what, unit, ours, parts = {}, peer, limit }: Figure): Drawn {
  const bars: readonly DrawnBar[] = [
    { name: 'Beckon', rounds: ours, colour: COLOURS.ours },
    ...Object.entries(parts).map(([name, part]) => ({ name, rounds: [part], colour: COLOURS.part })),
    ...(peer === undefined ? [] : [{ ...peer, colour: COLOURS.peer }]),
    ...(limit === undefined ? [] : [{ ...limit, colour: COLOURS.limit }]),
  ]
  const scale =
    (PLOT_WIDTH - LABEL_WIDTH) / Math.max(...bars.flatMap(({ rounds }) => rounds), Number.MIN_VALUE)
  const drawn = bars.map((bar, place) =>
    drawBar(bar, { y: HEAD_HEIGHT + place * (BAR_HEIGHT + 2), scale, unit }),
  )
  const head = `<text x="4" y="14" font-weight="bold">${escaped(what)}</text>`
  const height = HEAD_HEIGHT + bars.length * (BAR_HEIGHT + 2) + GAP
  return { height, content: [head, ...drawn].join('\n') }
}

type BarPlace = { readonly y: number; readonly scale: number; readonly unit: string }

function drawBar({ name, rounds, colour }: DrawnBar, { y, scale, unit }: BarPlace): string {
  const width = median(rounds) * scale
  const [from, to] = [Math.min(...rounds) * scale, Math.max(...rounds) * scale]
  const middle = y + BAR_HEIGHT / 2
  const text = `${shown(median(rounds))} ${escaped(unit)}`
  return `<text x="4" y="${y + 15}">${escaped(name.length > LABEL_CHARS ? `${name.slice(0, LABEL_CHARS)}…` : name)}</text>
<rect x="${LABEL_WIDTH}" y="${y}" width="${width.toFixed(1)}" height="${BAR_HEIGHT}" fill="${colour}"/>
<line x1="${(LABEL_WIDTH + from).toFixed(1)}" x2="${(LABEL_WIDTH + to).toFixed(1)}" y1="${middle}" y2="${middle}" stroke="${COLOURS.spread}"/>
<text x="${(LABEL_WIDTH + Math.max(width, to) + 6).toFixed(1)}" y="${y + 15}">${text}</text>`
}

const LABEL_CHARS = 28
