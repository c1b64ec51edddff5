import type { Figure } from './figures.ts'
import { median } from './median.ts'

/** The circumstances of a run, which stand above its figures. */
export type RunFacts = {
  readonly date: string
  readonly commit: string
  readonly cores: number
  readonly loadBefore: number
}

/** The page with another report under the heading of the report, at the end if it has none yet. */
export function withReport(page: string, report: string): string {
  const [before = '', old = ''] = page.split(HEADING)
  const next = old.indexOf('\n## ')
  const after = next === -1 ? '' : old.slice(next)
  return `${before.trimEnd()}\n\n${HEADING}\n${report}${after}`
}

const HEADING = "## Messages beside other people's clients\n"

/** The part of the page that is written by a run. A ratio is that of the medians; its spread that of the rounds. */
export function renderReport(figures: readonly Figure[], facts: RunFacts, picture: string): string {
  const { date, commit, cores, loadBefore } = facts
  return `Written by \`npm run bench -- report\` on ${date}, commit ${commit}, ${cores} cores, load average ${loadBefore.toFixed(1)} before the run. Figures are
medians, with the smallest and the largest round in brackets. A ratio in bold misses its bar.

| work | Beckon | peer | ratio | bar | memory |
|---|---|---|---|---|---|
${figures.map(row).join('\n')}

| Beckon and the peer, the line from the smallest round to the largest |
|---|
| ![${figures.map(({ what }) => what).join(', ')}](${picture}) |

${figures.map(partsLine).join('\n')}
`
}

/** The ratio of the medians, and those of the rounds, which were measured in turn. */
export function ratioOf({ ours, peer }: Figure): { readonly middle: number; readonly rounds: number[] } {
  const rounds = ours.flatMap((own, round) => {
    const theirs = peer.rounds[round]
    return theirs === undefined ? [] : [own / theirs]
  })
  return { middle: median(ours) / median(peer.rounds), rounds }
}

function row(figure: Figure): string {
  const { what, unit, ours, peer, ratioMax, memoryMiB } = figure
  const { middle, rounds } = ratioOf(figure)
  const ratio = `${middle.toFixed(2)} × [${spread(rounds, 2)}]`
  const shown = middle <= ratioMax ? ratio : `**${ratio}**`
  const theirs = `\`${peer.name}\` ${median(peer.rounds).toFixed(0)} ${unit} [${spread(peer.rounds, 0)}]`
  return `| ${what} | ${median(ours).toFixed(0)} ${unit} [${spread(ours, 0)}] | ${theirs} | ${shown} | ≤ ${ratioMax} × | ${memoryMiB.toFixed(0)} MiB |`
}

function spread(rounds: readonly number[], digits: number): string {
  return `${Math.min(...rounds).toFixed(digits)} to ${Math.max(...rounds).toFixed(digits)}`
}

function partsLine({ what, unit, parts }: Figure): string {
  const shown = Object.entries(parts).map(([name, value]) => `${name} ${value.toFixed(1)} ${unit}`)
  return `- *${what}*: ${shown.join(', ')}.`
}
