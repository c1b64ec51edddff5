import type { Figure } from './figures.ts'
import { median } from './median.ts'

/** Two bars for each figure, ours above the peer's, with a line from the smallest round to the largest. */
export function drawFigures(figures: readonly Figure[]): string {
  const most = Math.max(...figures.flatMap(({ ours, peer }) => [...ours, ...peer.rounds]))
  const scale = (PLOT_WIDTH - LABEL_WIDTH) / most
  const rows = figures.map((figure, place) => drawOne(figure, { top: place * ROW_HEIGHT, scale }))
  const height = figures.length * ROW_HEIGHT
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${PLOT_WIDTH + VALUE_WIDTH} ${height}" font-family="sans-serif" font-size="13">
${rows.join('\n')}
</svg>
`
}

const PLOT_WIDTH = 640
const LABEL_WIDTH = 130
const VALUE_WIDTH = 90
const ROW_HEIGHT = 66
const BAR_HEIGHT = 20
const COLOURS = { ours: '#2563eb', peer: '#9ca3af', spread: '#111827' } as const

type Place = { readonly top: number; readonly scale: number }

function drawOne({ what, unit, ours, peer }: Figure, { top, scale }: Place): string {
  const bars = [
    { name: 'Beckon', rounds: ours, colour: COLOURS.ours, y: top + 18 },
    { name: peer.name, rounds: peer.rounds, colour: COLOURS.peer, y: top + 18 + BAR_HEIGHT + 2 },
  ]
  const drawn = bars.map(({ name, rounds, colour, y }) => {
    const width = median(rounds) * scale
    const [from, to] = [Math.min(...rounds) * scale, Math.max(...rounds) * scale]
    const middle = y + BAR_HEIGHT / 2
    return `<text x="0" y="${y + 15}">${name}</text>
<rect x="${LABEL_WIDTH}" y="${y}" width="${width.toFixed(1)}" height="${BAR_HEIGHT}" fill="${colour}"/>
<line x1="${(LABEL_WIDTH + from).toFixed(1)}" x2="${(LABEL_WIDTH + to).toFixed(1)}" y1="${middle}" y2="${middle}" stroke="${COLOURS.spread}"/>
<text x="${(LABEL_WIDTH + Math.max(width, to) + 6).toFixed(1)}" y="${y + 15}">${median(rounds).toFixed(0)} ${unit}</text>`
  })
  return [`<text x="0" y="${top + 13}" font-weight="bold">${what}</text>`, ...drawn].join('\n')
}
