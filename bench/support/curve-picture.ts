import type { Curve } from './figures.ts'
import { median } from './median.ts'
import { escaped, shown } from './shown.ts'

const HEIGHT = 220
const PLOT = { left: 90, right: 720, top: 46, bottom: 170 } as const
const COLOURS = { line: '#2563eb', spread: '#111827', axis: '#9ca3af' } as const

/** A plot over sizes that grow tenfold, from zero upwards, so that a level curve looks level. */
export function drawCurve({ what, unit, axis, points }: Curve): {
  readonly height: number
  readonly content: string
} {
  const most = Math.max(...points.flatMap(({ rounds }) => rounds), Number.MIN_VALUE)
  const sizes = points.map(({ size }) => Math.log10(size))
  const [least, span] = [Math.min(...sizes), Math.max(...sizes) - Math.min(...sizes) || 1]
  const xOf = (size: number): string =>
    (PLOT.left + ((Math.log10(size) - least) / span) * (PLOT.right - PLOT.left - 40) + 20).toFixed(1)
  const yOf = (value: number): string => (PLOT.bottom - (value / most) * (PLOT.bottom - PLOT.top)).toFixed(1)
  const line = points.map(({ size, rounds }) => `${xOf(size)},${yOf(median(rounds))}`).join(' ')
  const marks = points.map(({ size, rounds }) => {
    const [x, y] = [xOf(size), yOf(median(rounds))]
    return `<line x1="${x}" x2="${x}" y1="${yOf(Math.min(...rounds))}" y2="${yOf(Math.max(...rounds))}" stroke="${COLOURS.spread}"/>
<circle cx="${x}" cy="${y}" r="4" fill="${COLOURS.line}"/>
<text x="${x}" y="${Number(y) - 10}" text-anchor="middle">${shown(median(rounds))}</text>
<text x="${x}" y="${PLOT.bottom + 18}" text-anchor="middle">${size.toLocaleString('en')}</text>`
  })
  const content = [
    `<text x="4" y="14" font-weight="bold">${escaped(what)}</text>`,
    `<text x="4" y="${PLOT.top + 4}">${escaped(unit)}</text>`,
    `<text x="${(PLOT.left + PLOT.right) / 2}" y="${PLOT.bottom + 36}" text-anchor="middle">${escaped(axis)}</text>`,
    `<polyline points="${PLOT.left},${PLOT.top} ${PLOT.left},${PLOT.bottom} ${PLOT.right},${PLOT.bottom}" fill="none" stroke="${COLOURS.axis}"/>`,
    `<polyline points="${line}" fill="none" stroke="${COLOURS.line}" stroke-width="2"/>`,
    ...marks,
  ]
  return { height: HEIGHT, content: content.join('\n') }
}
