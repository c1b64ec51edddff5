import { setImmediate as nextTurn } from 'node:timers/promises'
import { BoundedCache } from '../../runtime/limits/cache.ts'
import type { DocsFiles } from '../pages/load-docs.ts'
import { makeScript, type Script } from '../pages/scripts.ts'
import type { Route } from '../route.ts'
import { type AssetPaths, renderFrame } from './frame.ts'
import { html } from './html.ts'
import { OWN_ADDRESS } from './own-address.ts'
import { pagesOf } from './pages.ts'
import type { SearchEntry, SitePage } from './site-page.ts'
import { startPage } from './start-page.ts'

/**
 * The site under `/docs`. A page is rendered for its first reader and kept; the files do not change while a process
 * runs. A page names the address at which its reader has opened it, so it is also kept, compressed, for the last few
 * addresses.
 */
export class DocsSite {
  readonly #assets: AssetPaths
  readonly #pages: readonly SitePage[]
  readonly #byPath: ReadonlyMap<string, SitePage>
  /** By path; there are as many entries as pages. */
  readonly #rendered = new Map<string, string>()
  /** By address and path. Callers choose the address, so the bytes are bounded. */
  readonly #compressed = new BoundedCache<string, Script>({
    capacity: COMPRESSED_BYTES_MAX,
    weightOf: ({ plain, gzip }) => plain.length + gzip.length,
  })
  #index: Promise<Script> | undefined

  constructor(endpoints: readonly Route[], { style, script, guides }: DocsFiles) {
    this.#assets = { style: `/docs/docs.${style.hash}.css`, script: `/docs/docs.${script.hash}.js` }
    this.#pages = pagesOf(endpoints, guides)
    this.#byPath = new Map([startPage(this.#pages), ...this.#pages].map((page) => [page.path, page]))
  }

  /** The page at a path for a reader who has opened it at an address; null if there is none. */
  page(path: string, address: string): Script | null {
    const page = this.#byPath.get(path)
    if (page === undefined) return null
    const key = `${address} ${path}`
    const known = this.#compressed.get(key)
    if (known !== undefined) return known
    const text = this.#render(page).replaceAll(OWN_ADDRESS, () => html`${address}`.markup)
    const made = makeScript(text)
    this.#compressed.set(key, made)
    return made
  }

  /** The page for an address under `/docs` that does not exist. */
  missing(): string {
    return renderFrame({ page: MISSING, pages: this.#pages, assets: this.#assets }).markup
  }

  /** Everything that the search finds, as JSON. */
  async index(): Promise<Script> {
    this.#index ??= this.#buildIndex()
    return this.#index
  }

  /** Page by page, so that other requests have their turn in between. */
  async #buildIndex(): Promise<Script> {
    const entries: SearchEntry[] = []
    for (const page of this.#pages) {
      entries.push(...page.finds())
      await nextTurn()
    }
    return makeScript(JSON.stringify(entries))
  }

  #render(page: SitePage): string {
    const known = this.#rendered.get(page.path)
    if (known !== undefined) return known
    const { markup } = renderFrame({ page, pages: this.#pages, assets: this.#assets })
    this.#rendered.set(page.path, markup)
    return markup
  }
}

const COMPRESSED_BYTES_MAX = 16 * 1024 ** 2

const MISSING: SitePage = {
  path: '',
  part: 'guides',
  section: null,
  label: '',
  title: 'No such page',
  about: '',
  content: () => ({
    layout: 'start',
    body: html`<h1>There is no page at this address</h1>
      <p class="lead">The contents list every page. The search finds headings, calls, fields and error codes.
        <a href="/docs">Go to the start</a></p>`,
    outline: [],
  }),
  finds: () => [],
}
