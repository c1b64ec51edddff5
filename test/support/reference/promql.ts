/** The names that a PromQL expression uses. */
export type QueryNames = {
  readonly selectors: readonly Selector[]
  /** Labels by which an aggregation groups, each with the metrics inside it. */
  readonly groupings: readonly { readonly labels: readonly string[]; readonly metrics: readonly string[] }[]
}

export type Selector = { readonly metric: string; readonly matchers: readonly Matcher[] }
export type Matcher = { readonly label: string; readonly operator: string; readonly value: string }

/**
 * Reads the names of an expression. A word that is no function, operator or label counts as a metric, so a misspelt
 * function shows as an unknown metric.
 */
export function namesInQuery(query: string): QueryNames {
  return { selectors: selectorsIn(query), groupings: groupingsIn(query) }
}

/** The functions and operators that the files use; another one is added here. */
const WORDS = new Set(
  'sum max min topk rate increase histogram_quantile time absent min_over_time by on group_left and or'.split(
    ' ',
  ),
)
const LABEL_LISTS = /\b(by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g
const MATCHER = /(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g

function selectorsIn(query: string): readonly Selector[] {
  const bare = query.replaceAll(LABEL_LISTS, ' ').replaceAll(/\[[^\]]*\]/g, ' ')
  return [...bare.matchAll(/([a-zA-Z_:][\w:]*)\s*(\{[^}]*\})?/g)]
    .filter(([, word = '', braces]) => braces !== undefined || !WORDS.has(word))
    .map(([, metric = '', braces = '']) => ({
      metric,
      matchers: [...braces.matchAll(MATCHER)].map(([, label = '', operator = '', value = '']) => ({
        label,
        operator,
        value,
      })),
    }))
}

function groupingsIn(query: string): QueryNames['groupings'] {
  return [...query.matchAll(LABEL_LISTS)].map(({ 1: word, 2: list = '', 0: text, index }) => {
    const labels = list.split(',').flatMap((label) => (label.trim() === '' ? [] : [label.trim()]))
    const operand = word === 'by' ? operandAt(query, index + text.length) : query
    return { labels, metrics: selectorsIn(operand).map(({ metric }) => metric) }
  })
}

/** The parentheses that begin here, up to the one that closes them. */
function operandAt(query: string, from: number): string {
  let depth = 0
  for (let at = query.indexOf('(', from); at < query.length; at += 1) {
    if (query[at] === '(') depth += 1
    if (query[at] === ')') depth -= 1
    if (depth === 0) return query.slice(from, at + 1)
  }
  return query.slice(from)
}

/** The series of a Prometheus text: for each metric the values of each label. */
export function seriesIn(text: string): ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Map<string, Set<string>>>()
  for (const [, metric = '', braces = ''] of text.matchAll(/^([a-zA-Z_:][\w:]*)(\{.*\})? \S+$/gm)) {
    const labels = found.get(metric) ?? new Map<string, Set<string>>()
    found.set(metric, labels)
    for (const [, label = '', value = ''] of braces.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      labels.set(label, (labels.get(label) ?? new Set()).add(value))
    }
  }
  return found
}
