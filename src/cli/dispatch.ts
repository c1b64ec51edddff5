import type { Command } from './command.ts'
import { COMMANDS } from './commands.ts'
import { helpCommand, helpOverview, helpSettings } from './help.ts'
import { say } from './terminal.ts'
import { UsageError } from './usage-error.ts'
import { version } from './version.ts'

/** Runs what was typed after `beckon`. Returns when it is done; throws a sentence when it cannot be. */
export async function dispatch(typed: readonly string[]): Promise<void> {
  const [first = 'help'] = typed
  if (first === '--version' || first === 'version') return say(version())
  if (first === 'help' || first === '--help' || first === '-h') return help(typed.slice(1))

  const command = find(typed)
  const asksForHelp = typed.includes('--help') || typed.includes('-h')
  if (command === null && asksForHelp && familyOf(first).length > 0) return help(typed)
  if (command === null) throw new UsageError(complaint(typed), '')
  const args = typed.slice(command.name.split(' ').length)
  if (asksForHelp) return say(...helpCommand(command))
  return command.run(args)
}

function help(about: readonly string[]): void {
  const command = find(about)
  if (about[0] === 'settings') return say(...helpSettings())
  if (command !== null) return say(...helpCommand(command))
  return say(...helpOverview(within(about)))
}

/** The command whose name is how the typed words begin; names have one word or two. */
function find(typed: readonly string[]): Command | null {
  const [first = '', second = ''] = typed
  return COMMANDS.find(({ name }) => name === first || name === `${first} ${second}`) ?? null
}

/** `beckon help brand` shows the commands that begin so; a word that begins nothing shows all. */
function within([first = '']: readonly string[]): readonly Command[] {
  const some = familyOf(first)
  return some.length > 0 ? some : COMMANDS
}

function familyOf(first: string): readonly Command[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${first} `))
}

function complaint([first = '', second]: readonly string[]): string {
  const family = familyOf(first).map(({ name }) => name)
  if (family.length === 0) return `There is no command "${first}"`
  const choices = family.map((name) => `beckon ${name}`).join(', ')
  return second === undefined
    ? `"${first}" needs another word (${choices})`
    : `There is no "${first} ${second}" (${choices})`
}
