/** One line of `/docs/search.json`: title, where it stands, address, text. */
export type Find = { readonly t: string; readonly w: string; readonly h: string; readonly x: string }

/** The lines that hold every word of the query, the best first. */
export function search(lines: readonly Find[], query: string): readonly Find[] {
  const words = wordsOf(query)
  if (words.length === 0) return []
  const phrase = words.join(' ')
  return lines
    .map((line) => ({ line, score: scoreOf(line, words, phrase) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, FINDS_MAX)
    .map(({ line }) => line)
}

const FINDS_MAX = 20

export function wordsOf(query: string): readonly string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
}

/** A title that is the query itself comes first; a title with the words comes before a text with them. */
function scoreOf({ t, w, x }: Find, words: readonly string[], phrase: string): number {
  const title = t.toLowerCase()
  const place = w.toLowerCase()
  const text = x.toLowerCase()
  const points = words.map((word) => pointsOf(word, { title, place, text }))
  if (points.includes(0)) return 0
  const whole = title === phrase ? 100 : 0
  const begins = title.startsWith(phrase) ? 20 : 0
  const together = text.includes(phrase) && words.length > 1 ? 6 : 0
  return points.reduce((sum, point) => sum + point, whole + begins + together)
}

type Texts = { readonly title: string; readonly place: string; readonly text: string }

function pointsOf(word: string, { title, place, text }: Texts): number {
  if (title.split(/[\s/]+/).includes(word)) return 12
  if (title.includes(word)) return 8
  if (place.includes(word)) return 4
  return text.includes(word) ? 2 : 0
}

/** The part of the text around the first word that it holds. */
export function excerpt({ x }: Find, words: readonly string[]): string {
  const text = x.toLowerCase()
  const phrase = text.indexOf(words.join(' '))
  const first = phrase === -1 ? Math.min(...words.map((word) => placeOf(text, word))) : phrase
  const found = first === Number.POSITIVE_INFINITY ? 0 : first
  const from = found < LEAD_CHARS ? 0 : x.lastIndexOf(' ', found - LEAD_CHARS) + 1
  const to = from + EXCERPT_CHARS
  const cut = to < x.length ? `${x.slice(from, to).replace(/\s\S*$/, '')} …` : x.slice(from)
  return from > 0 ? `… ${cut}` : cut
}

const LEAD_CHARS = 50
const EXCERPT_CHARS = 150

function placeOf(text: string, word: string): number {
  const at = text.indexOf(word)
  return at === -1 ? Number.POSITIVE_INFINITY : at
}

/** The address of a part of the old single page, such as `/docs#error-not_found`; null if there is none. */
export function addressOf(lines: readonly Find[], hash: string): string | null {
  if (hash.startsWith('#group-')) return `/docs/api/${hash.slice('#group-'.length)}`
  return OLD_PAGES.get(hash) ?? lines.find(({ h }) => h.endsWith(hash))?.h ?? null
}

const OLD_PAGES: ReadonlyMap<string, string> = new Map([
  ['#documents', '/docs/api/documents'],
  ['#errors', '/docs/api/errors'],
])
