import { type Html, html } from './html.ts'
import type { OutlineLine, PageContent, SitePage, SitePart } from './site-page.ts'

/** The addresses of the files that every page loads. They have a hash in them. */
export type AssetPaths = { readonly style: string; readonly script: string }

type Frame = { readonly page: SitePage; readonly pages: readonly SitePage[]; readonly assets: AssetPaths }

/** A whole page of the site: the contents on the left, the page, and its headings on the right. */
export function renderFrame({ page, pages, assets }: Frame): Html {
  const { body, outline, layout } = page.content()
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title} · Beckon docs</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="${assets.style}">
<script src="${assets.script}"></script></head>
<body><a class="skip" href="#main">Skip the contents</a>
<div class="app">
${renderRail(page, pages)}
<main id="main" class="${layout}" tabindex="-1">
<div class="column">${body}${layout === 'start' ? '' : renderNeighbours(page, pages)}</div>
${renderOutline(layout, outline)}
</main>
</div>
${SEARCH}
</body></html>
`
}

function renderRail(page: SitePage, pages: readonly SitePage[]): Html {
  const ofPart = pages.filter(({ part }) => part === page.part)
  const sections = [...Map.groupBy(ofPart, ({ section }) => section)]
  return html`<header class="rail">
  <div class="bar">
    <a class="brand" href="/docs"><span class="mark"></span>Beckon <span class="quiet">docs</span></a>
    <button class="find" type="button" aria-haspopup="dialog">${LENS}<span>Search</span><kbd>/</kbd></button>
    <button class="menu" type="button" aria-expanded="false" aria-controls="contents">Contents</button>
  </div>
  <nav id="contents" aria-label="Contents">
    <ul class="tabs">${PARTS.map(({ part, label, href }) => renderTab({ label, href, isOn: page.part === part }))}</ul>
    ${sections.map(([section, rows], index) => renderSection({ section, rows, page, id: `contents-${index}` }))}
    <ul class="foot">
      <li><a href="/">Dashboard</a></li>
      <li><a href="/demo">Demo shop</a></li>
      <li><a href="/openapi.json">openapi.json</a></li>
    </ul>
  </nav>
</header>`
}

const PARTS: readonly { readonly part: SitePart; readonly label: string; readonly href: string }[] = [
  { part: 'guides', label: 'Guides', href: '/docs/guides/start' },
  { part: 'api', label: 'API', href: '/docs/api/basics' },
]

type Tab = { readonly label: string; readonly href: string; readonly isOn: boolean }

function renderTab({ label, href, isOn }: Tab): Html {
  return html`<li><a href="${href}"${isOn ? html` class="on"` : ''}>${label}</a></li>`
}

type Section = {
  readonly section: string | null
  readonly rows: readonly SitePage[]
  readonly page: SitePage
  readonly id: string
}

function renderSection({ section, rows, page, id }: Section): Html {
  if (section === null) return html``
  const links = rows.map(({ path, label }) => {
    const isHere = path === page.path ? html` aria-current="page"` : ''
    return html`<li><a href="${path}"${isHere}>${label}</a></li>`
  })
  return html`<p class="label" id="${id}">${section}</p><ul aria-labelledby="${id}">${links}</ul>`
}

function renderOutline(layout: PageContent['layout'], lines: readonly OutlineLine[]): Html {
  if (layout !== 'text' || lines.length < 2) return html``
  const links = lines
    .filter(({ depth }) => depth <= 3)
    .map(({ id, heading, depth }) => html`<li class="depth-${depth}"><a href="#${id}">${heading}</a></li>`)
  return html`<nav class="outline" aria-labelledby="outline-label"><p class="label" id="outline-label">On this page</p><ul>${links}</ul></nav>`
}

/** The pages before and after this one, in the order of the contents. */
function renderNeighbours(page: SitePage, pages: readonly SitePage[]): Html {
  const ofPart = pages.filter(({ part, section }) => part === page.part && section !== null)
  const here = ofPart.findIndex(({ path }) => path === page.path)
  if (here === -1) return html``
  const before = ofPart[here - 1]
  const after = ofPart[here + 1]
  return html`<nav class="neighbours" aria-label="Neighbours">
    ${before === undefined ? html`<span></span>` : html`<a rel="prev" href="${before.path}"><span class="quiet">Before</span> ${before.label}</a>`}
    ${after === undefined ? '' : html`<a rel="next" href="${after.path}"><span class="quiet">Next</span> ${after.label}</a>`}
  </nav>`
}

const LENS = html`<svg viewBox="0 0 24 24" width="17" height="17" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" aria-hidden="true"><circle cx="10.5" cy="10.5" r="6.5"/><path d="m20 20-4.8-4.8"/></svg>`

const SEARCH = html`<dialog id="search" aria-label="Search the docs">
  <div class="query">${LENS}<input type="search" aria-label="Search for" placeholder="quiet hours, field_missing, /api/v1/explain" autocomplete="off" spellcheck="false" maxlength="100"><button type="button" class="close">Close</button></div>
  <p class="state" role="status"></p>
  <ol class="finds"></ol>
</dialog>`
