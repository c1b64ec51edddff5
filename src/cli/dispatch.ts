import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HOME } from '../config.ts'
import type { Command } from './command.ts'
import { COMMANDS, loadCommands } from './commands.ts'
import { UsageError } from './exit.ts'
import { helpCommand, helpOverview, helpSettings } from './help.ts'
import { say } from './terminal.ts'

/** Runs the command typed after `beckon`. Throws an error with a sentence for the person when it cannot. */
export async function dispatch(typed: readonly string[]): Promise<void> {
  const [first = 'help'] = typed
  if (first === '--version' || first === 'version') return say(version())
  if (first === 'help' || first === '--help' || first === '-h') return help(typed.slice(1))

  const command = await find(typed)
  const asksForHelp = typed.includes('--help') || typed.includes('-h')
  if (command === null && asksForHelp && familyOf(first).length > 0) return help(typed)
  if (command === null) throw new UsageError(complaint(typed), '')
  const args = typed.slice(command.name.split(' ').length)
  if (asksForHelp) return say(...helpCommand(command))
  return command.run(args)
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8'))
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
    return String(manifest.version)
  throw new Error('package.json carries no version')
}

async function help(about: readonly string[]): Promise<void> {
  const command = await find(about)
  if (about[0] === 'settings') return say(...helpSettings())
  if (command !== null) return say(...helpCommand(command))
  return say(...helpOverview(await loadCommands(within(about))))
}

/** The command that the first word, or the first two words, name. */
async function find([first = '', second = '']: readonly string[]): Promise<Command | null> {
  const [command = null] = await loadCommands([first, `${first} ${second}`])
  return command
}

/** `beckon help brand` shows the commands that begin with `brand`; a word that begins no command shows all. */
function within([first = '']: readonly string[]): readonly string[] {
  const some = familyOf(first)
  return some.length > 0 ? some : Object.keys(COMMANDS)
}

function familyOf(first: string): readonly string[] {
  return Object.keys(COMMANDS).filter((name) => name.startsWith(`${first} `))
}

function complaint([first = '', second]: readonly string[]): string {
  const family = familyOf(first)
  if (family.length === 0) return `There is no command "${first}"`
  const choices = family.map((name) => `bin/beckon ${name}`).join(', ')
  return second === undefined
    ? `"${first}" needs another word (${choices})`
    : `There is no "${first} ${second}" (${choices})`
}
