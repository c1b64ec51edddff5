import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** The project's files as the tidy tests see them: path from the top, text, and what is imported. */
export type SourceFile = {
  readonly path: string
  readonly text: string
  /** The text without comments and strings, for rules about code. */
  readonly code: string
  readonly imports: readonly string[]
}

export const home = join(import.meta.dirname, '..', '..')

export function readSources(pattern: string): readonly SourceFile[] {
  const paths = globSync(pattern, { cwd: home }).filter((path) => !WRITTEN_BY_PROGRAM.test(path))
  return paths.toSorted().map(readSource)
}

/** The rules are for people; what `npm run docs` and `npm pack` write is as long as it has to be. */
const WRITTEN_BY_PROGRAM = /^web\/client\/(?:api|dist)\//

/** `src/http/edge/auth.ts` lies in the room `http`; a file right in `src/` lies in the room that bears its own name. */
export function roomOf(path: string): string {
  return /^src\/([^/]+?)(?:\.d)?(?:\.ts)?(?:\/|$)/.exec(path)?.[1] ?? ''
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(home, path), 'utf8')
  const names = [...text.matchAll(/(?<!['.\w])(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    (match) => match[1] ?? '',
  )
  const imports = names.map((name) => (name.startsWith('.') ? normalize(join(dirname(path), name)) : name))
  return { path, text, code: stripComments(text), imports }
}

function stripComments(text: string): string {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/(^|[^:'"`])\/\/.*$/gm, '$1')
    .replaceAll(/'(?:[^'\\\n]|\\.)*'/g, "''")
    .replaceAll(/`(?:[^`\\]|\\.)*`/g, '``')
}
