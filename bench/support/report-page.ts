import type { Bar, Beside, Curve, Figure, Kept, Memory } from './figures.ts'
import { median } from './median.ts'
import type { Results } from './results.ts'
import { shown } from './shown.ts'

/** The results of one benchmark, and their heading. */
export type ReportSection = { readonly title: string; readonly results: Results }

/** The page with another report under the heading of the report, at the end if it has none yet. */
export function withReport(page: string, report: string): string {
  const [before = '', old = ''] = page.split(HEADING)
  const next = old.indexOf('\n## ')
  const after = next === -1 ? '' : old.slice(next)
  return `${before.trimEnd()}\n\n${HEADING}\n${report}${after}`
}

const HEADING = '## Every job beside its limit\n'

/** The picture of a benchmark, beside the page. */
export function pictureOf(job: string): string {
  return `benchmarks-${job}.svg`
}

/** The part of the page that is written by runs. */
export function renderReport(sections: readonly ReportSection[]): string {
  return `${INTRODUCTION}
${sections.map(({ results }) => commandRow(results)).join('\n')}

${sections.map(renderSection).join('\n')}`
}

const INTRODUCTION = `Written by \`npm run bench -- report\`. It runs every benchmark of the table, keeps what they measured in \`bench/results\`, and writes this part of
the page. With names, such as \`npm run bench -- report delivery single\`, it runs only these and takes the rest from the files; with \`page\` it runs none.

Figures are medians, with the smallest and the largest round in brackets. *Beckon* includes its PostgreSQL where CPU is compared. The *limit* and the
*peer* were measured in turn with Beckon in the same run. A figure in bold misses its bar. *Memory* is the most that the measured process of Beckon had; where
the API is part of the benchmark's own process (events, sends that are accepted, imports, frozen weeks), it is that of both. The last line of a part has the
most that each process had in the whole run.

| command | took | date | commit | cores | processor | load average before |
|---|---|---|---|---|---|---|`

function commandRow({ command, seconds, date, commit, cores, processor, loadBefore }: Results): string {
  const took = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
  return `| \`${command}\` | ${took} | ${date} | ${commit} | ${cores} | ${processor ?? 'not noted'} | ${loadBefore.toFixed(1)} |`
}

function renderSection({ title, results: { job, kept } }: ReportSection): string {
  const figures = kept.filter(isFigure)
  const curves = kept.filter((one) => one.kind === 'curve')
  const parts = [
    `### ${title}\n`,
    ...(figures.length === 0 ? [] : [`${TABLE_HEAD}\n${figures.map(figureRow).join('\n')}\n`]),
    `| drawn: the line goes from the smallest round to the largest |\n|---|\n| ![${title}](${pictureOf(job)}) |\n`,
    ...listOf(figures.flatMap(partsLine)),
    ...listOf(curves.map(curveLine)),
    ...listOf(memoryLine(kept.filter((one) => one.kind === 'memory'))),
  ]
  return parts.join('\n')
}

function isFigure(one: Kept): one is Figure {
  return one.kind === 'figure'
}

function listOf(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${lines.join('\n')}\n`]
}

const TABLE_HEAD = `| work | Beckon | beside | ratio | bar | memory |
|---|---|---|---|---|---|`

/** A row for each thing that a figure stands beside, or one row. */
function figureRow(figure: Figure): string {
  const { what, unit, ours, peer, limit, memoryMiB } = figure
  const memory = memoryMiB === undefined ? '' : `${memoryMiB.toFixed(0)} MiB`
  const own = `${shown(median(ours))} ${unit}${spread(ours)}`
  const sides: readonly (readonly ['peer' | 'limit', Beside])[] = [
    ...(peer === undefined ? [] : [['peer', peer] as const]),
    ...(limit === undefined ? [] : [['limit', limit] as const]),
  ]
  const [bar, isMet] = [barText(figure.bar), isBarMet(figure)]
  const marked = (of: Bar['of'], text: string): string =>
    figure.bar?.of === of && !isMet ? `**${text}**` : text
  const barOf = (of: Bar['of']): string => (figure.bar?.of === of ? bar : '')
  if (sides.length === 0) {
    return `| ${what} | ${marked('figure', own)} | | | ${barOf('figure')} | ${memory} |`
  }
  return sides
    .map(([side, beside], place) => {
      const { middle, rounds } = ratioOf(figure, side)
      const other = `${side}: ${beside.name} ${shown(median(beside.rounds))} ${unit}${spread(beside.rounds)}`
      // A limit that the clock of the CPU does not show has no ratio.
      const ratio = Number.isFinite(middle) ? marked(side, `${shown(middle)} ×${spread(rounds)}`) : ''
      const [first, mine, used] = place === 0 ? [what, marked('figure', own), memory] : ['', '', '']
      const bars = [place === 0 ? barOf('figure') : '', barOf(side)].filter((text) => text !== '').join(', ')
      return `| ${first} | ${mine} | ${other} | ${ratio} | ${bars} | ${used} |`
    })
    .join('\n')
}

/** The ratio of a figure to what it stands beside, and the ratios of the rounds, which were measured in turn. */
export function ratioOf(
  { ours, bar, ratio, ...sides }: Figure,
  side: 'peer' | 'limit',
): { readonly middle: number; readonly rounds: readonly number[] } {
  const beside = sides[side]?.rounds ?? []
  const rounds = ours.flatMap((own, round) => {
    const other = beside[round]
    return other === undefined ? [] : [own / other]
  })
  const judged = bar?.of === side ? ratio : undefined
  return { middle: judged ?? median(ours) / median(beside), rounds }
}

export function isBarMet(figure: Figure): boolean {
  const { bar, ours } = figure
  if (bar === undefined) return true
  const value = bar.of === 'figure' ? median(ours) : ratioOf(figure, bar.of).middle
  return 'atMost' in bar ? value <= bar.atMost : value >= bar.atLeast
}

function barText(bar: Bar | undefined): string {
  if (bar === undefined) return ''
  const [sign, value] = 'atMost' in bar ? ['≤', bar.atMost] : ['≥', bar.atLeast]
  return `${sign} ${value.toLocaleString('en')}${bar.of === 'figure' ? '' : ' ×'}`
}

function spread(rounds: readonly number[]): string {
  return rounds.length < 2 ? '' : ` [${shown(Math.min(...rounds))} to ${shown(Math.max(...rounds))}]`
}

function partsLine({ what, unit, parts }: Figure): readonly string[] {
  const all = Object.entries(parts ?? {}).map(([name, value]) => `${name} ${shown(value)} ${unit}`)
  return all.length === 0 ? [] : [`- *${what}*: ${all.join(', ')}.`]
}

function curveLine({ what, unit, axis, points }: Curve): string {
  const all = points.map(
    ({ size, rounds }) => `${size.toLocaleString('en')}: ${shown(median(rounds))} ${unit}`,
  )
  return `- *${what}*, by ${axis}: ${all.join(', ')}.`
}

/** Of processes with the same task, the largest counts. */
function memoryLine(memories: readonly Memory[]): readonly string[] {
  const most = new Map<string, number>()
  for (const { of, mib } of memories) most.set(of, Math.max(mib, most.get(of) ?? 0))
  const all = [...most].map(([of, mib]) => `${of} ${mib.toFixed(0)} MiB`)
  return all.length === 0 ? [] : [`- *Memory*: ${all.join(', ')}.`]
}
