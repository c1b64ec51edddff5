import { parseArgs } from 'node:util'
import { UsageError } from './exit.ts'

/** One flag, as `node:util` parses it, with words for the help. `value` names the value of a text flag. */
export type Flag =
  | { readonly type: 'boolean'; readonly meaning: string }
  | { readonly type: 'string'; readonly value: string; readonly meaning: string; readonly multiple?: boolean }

export type Flags = { readonly [name: string]: Flag }

/** A word that must follow the command: `beckon backup FILE`. */
export type CommandOperand = { readonly name: string; readonly meaning: string }

type Terms = { readonly title: string; readonly rows: readonly (readonly [string, string])[] }

/** A command, described for the help and ready to run. */
export type Command = {
  readonly name: string
  readonly summary: string
  readonly about: readonly string[]
  /** A list that the help shows under a title of its own. */
  readonly terms: Terms | null
  readonly operands: readonly CommandOperand[]
  readonly flags: Flags
  readonly examples: readonly string[]
  readonly run: (args: readonly string[]) => Promise<void>
}

type Description<Given extends Flags> = {
  readonly name: string
  readonly summary: string
  readonly about?: readonly string[]
  readonly terms?: Terms
  readonly operands?: readonly CommandOperand[]
  readonly flags: Given
  readonly examples?: readonly string[]
  readonly run: (flags: FlagValues<Given>, operands: readonly string[]) => Promise<void>
}

type Options<Given extends Flags> = { options: Given; allowPositionals: true; args: string[] }

type FlagValues<Given extends Flags> = ReturnType<typeof parseArgs<Options<Given>>>['values']

/** Makes a command from its description. Flags are parsed and operands counted before `run` gets them. */
export function defineCommand<const Given extends Flags>(description: Description<Given>): Command {
  const { name, summary, flags, run, about = [], terms = null, operands = [], examples = [] } = description
  return {
    name,
    summary,
    about,
    terms,
    operands,
    flags,
    examples,
    run: async (args) => {
      const { values, positionals } = parse(description, args)
      const missing = operands[positionals.length]
      if (missing !== undefined) throw new UsageError(`${missing.name} is missing`, name)
      const extra = positionals[operands.length]
      if (extra !== undefined) throw new UsageError(`"${extra}" is one word too many`, name)
      await run(values, positionals)
    },
  }
}

function parse<Given extends Flags>({ name, flags }: Description<Given>, args: readonly string[]) {
  const options: Options<Given> = { options: flags, allowPositionals: true, args: [...args] }
  try {
    return parseArgs(options)
  } catch (cause) {
    // The parser throws at a mistyped flag, and the person needs a sentence.
    const [sentence = 'the flags are not right'] = cause instanceof Error ? cause.message.split(/\. |\n/) : []
    throw new UsageError(sentence.replace(/\.$/, ''), name, { cause })
  }
}
