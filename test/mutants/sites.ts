/**
 * Finds the places of a source text that a mutant changes: comparisons, logical operators and guards.
 * The text is formatted (operators stand between spaces), so a scan that skips comments and strings is enough;
 * SQL stands in template strings, whose comparisons are found too.
 */
export type Site = {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly start: number
  readonly end: number
  readonly text: string
  readonly replacement: string
}

const OPERATORS: Readonly<Record<string, string>> = {
  ' < ': ' <= ',
  ' <= ': ' < ',
  ' > ': ' >= ',
  ' >= ': ' > ',
  ' === ': ' !== ',
  ' !== ': ' === ',
  ' && ': ' || ',
  ' || ': ' && ',
}

const OPERATOR = /^ (?:<=?|>=?|===|!==|&&|\|\|)(?= |\n)/
const SQL_COMPARISON = /^ (?:<=?|>=?) /

export function findSites(file: string, source: string): Site[] {
  const sites: Site[] = []
  for (const { at, kind } of codePositions(source)) {
    const found = kind === 'code' ? siteInCode(source, at) : siteInSql(source, at)
    if (found === undefined) continue
    const before = source.slice(0, found.start).split('\n')
    const place = { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
    sites.push({ ...place, text: source.slice(found.start, found.end), ...found })
  }
  return sites
}

type Change = Pick<Site, 'start' | 'end' | 'replacement'>

function siteInCode(source: string, at: number): Change | undefined {
  if (source.startsWith('if (', at) && !/\w/.test(source[at - 1] ?? '')) {
    const open = at + 3
    const close = closingBracket(source, open)
    return hasOperator(source.slice(open, close))
      ? undefined
      : { start: open + 1, end: close, replacement: 'false' }
  }
  const operator = OPERATOR.exec(source.slice(at, at + 6))
  if (operator === null) return undefined
  const replacement = OPERATORS[`${operator[0]} `]
  return replacement === undefined
    ? undefined
    : { start: at, end: at + operator[0].length, replacement: replacement.slice(0, -1) }
}

/** A guard that compares is changed at its comparison, not as a whole. */
function hasOperator(condition: string): boolean {
  return Object.keys(OPERATORS).some((operator) => condition.includes(operator))
}

function siteInSql(source: string, at: number): Change | undefined {
  const operator = SQL_COMPARISON.exec(source.slice(at, at + 4))
  if (operator === null) return undefined
  const replacement = OPERATORS[operator[0]]
  return replacement === undefined ? undefined : { start: at, end: at + operator[0].length, replacement }
}

/** The bracket that closes the one at `open`; strings inside of a condition hold no brackets in this code. */
function closingBracket(source: string, open: number): number {
  let depth = 0
  for (let at = open; at < source.length; at += 1) {
    if (source[at] === '(') depth += 1
    if (source[at] === ')') depth -= 1
    if (depth === 0) return at
  }
  return source.length
}

type Position = { readonly at: number; readonly kind: 'code' | 'template' }

function* codePositions(source: string): Generator<Position> {
  const templates: number[] = []
  let inTemplate = false
  let braces = 0
  for (let at = 0; at < source.length; at += 1) {
    if (inTemplate) {
      if (source[at] === '\\') at += 1
      else if (source[at] === '`') inTemplate = false
      else if (source.startsWith('${', at)) {
        templates.push(braces)
        inTemplate = false
        at += 1
      } else yield { at, kind: 'template' }
      continue
    }
    const skipped = skippedUntil(source, at)
    if (skipped > at) {
      at = skipped
      continue
    }
    if (source[at] === '`') inTemplate = true
    else if (source[at] === '{') braces += 1
    else if (source[at] === '}') {
      if (templates.length > 0 && templates.at(-1) === braces) {
        templates.pop()
        inTemplate = true
      } else braces -= 1
    } else yield { at, kind: 'code' }
  }
}

/** The last character of a comment or a quoted string that begins at `at`; `at` itself where none begins. */
function skippedUntil(source: string, at: number): number {
  if (source.startsWith('//', at)) return endOf(source, '\n', at)
  if (source.startsWith('/*', at)) return endOf(source, '*/', at) + 1
  const quote = source[at]
  if (quote !== "'" && quote !== '"') return at
  for (let next = at + 1; next < source.length && source[next] !== '\n'; next += 1) {
    if (source[next] === '\\') next += 1
    else if (source[next] === quote) return next
  }
  return at
}

function endOf(source: string, ending: string, from: number): number {
  const found = source.indexOf(ending, from)
  return found === -1 ? source.length : found
}
