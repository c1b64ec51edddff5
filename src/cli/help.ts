import { describeSettings } from '../config.ts'
import type { Command, Flag } from './command.ts'
import { columns, wrap } from './terminal.ts'

const WIDTH = 100

/** The text of `beckon help`: one line for each command. */
export function helpOverview(commands: readonly Command[]): readonly string[] {
  const rows = commands.map(({ name, operands, summary }) => [
    `  ${[name, ...operands.map((operand) => operand.name)].join(' ')}`,
    summary,
  ])
  return [
    'Beckon: push notifications and event tracking that you host yourself.',
    '',
    'Usage: bin/beckon COMMAND [FLAGS]',
    '',
    ...columns(rows),
    '',
    'bin/beckon COMMAND --help explains a command, bin/beckon help settings lists the settings.',
  ]
}

/** The text of `beckon COMMAND --help`. */
export function helpCommand(command: Command): readonly string[] {
  const { name, summary, about, terms, operands, flags, examples } = command
  const words = operands.map((operand) => operand.name)
  const flagRows = [...Object.entries(flags), HELP_FLAG].map(([flag, row]) => [
    flagUsage(flag, row),
    row.meaning,
  ])
  return [
    `Usage: ${['bin/beckon', name, ...words, '[FLAGS]'].join(' ')}`,
    '',
    ...wrap(summary, WIDTH),
    ...about.flatMap((paragraph) => ['', ...wrap(paragraph, WIDTH)]),
    ...section(
      '',
      operands.map((operand) => [operand.name, operand.meaning]),
    ),
    ...section('Flags:', flagRows),
    ...section(terms?.title ?? '', terms?.rows ?? []),
    ...section(
      'Examples:',
      examples.map((example) => [example]),
    ),
  ]
}

/** The text of `beckon help settings`. */
export function helpSettings(): readonly string[] {
  return describeSettings().flatMap(({ name, default: unset, meaning }) => [
    name,
    ...wrap(meaning, WIDTH - 4).map((line) => `    ${line}`),
    `    When not set: ${unset.replaceAll('`', '')}.`,
  ])
}

const HELP_FLAG: [string, Flag] = ['help', { type: 'boolean', meaning: 'Shows this page.' }]

function flagUsage(name: string, flag: Flag): string {
  return flag.type === 'boolean' ? `--${name}` : `--${name} ${flag.value}`
}

function section(title: string, rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return []
  const head = title === '' ? [''] : ['', title]
  return [...head, ...columns(rows.map(([first = '', ...others]) => [`  ${first}`, ...others]))]
}
