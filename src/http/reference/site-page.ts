import type { Html } from './html.ts'

/** The two parts of the site, each with contents of its own. The start page belongs to both. */
export type SitePart = 'guides' | 'api'

/** One page of the site under `/docs`. */
export type SitePage = {
  readonly path: string
  readonly part: SitePart
  /** The heading under which the contents list it; null if they do not. */
  readonly section: string | null
  /** Its name in the contents. */
  readonly label: string
  readonly title: string
  readonly about: string
  readonly content: () => PageContent
  /** What the search finds on it. It does not render the page, because the index asks all pages at once. */
  readonly finds: () => readonly SearchEntry[]
}

export type PageContent = {
  readonly body: Html
  /** The headings that are listed beside the page. */
  readonly outline: readonly OutlineLine[]
  /** How the body is laid out: text to read, endpoints with their code beside them, or the start page. */
  readonly layout: 'text' | 'endpoints' | 'start'
}

export type OutlineLine = { readonly id: string; readonly heading: string; readonly depth: number }

/** One line of the search index. The names are short because there are a thousand of them. */
export type SearchEntry = {
  /** Its title. */
  readonly t: string
  /** Where it stands, for the reader. */
  readonly w: string
  /** Its address. */
  readonly h: string
  /** The text that is searched, beside the title. */
  readonly x: string
}
