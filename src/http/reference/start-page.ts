import { DEMO_BRAND } from '../../rules/brand.ts'
import { CALLER_VARIABLES } from '../../rules/caller-variables.ts'
import { type Html, html } from './html.ts'
import { renderCode } from './markdown.ts'
import { OWN_ADDRESS } from './own-address.ts'
import type { SitePage } from './site-page.ts'

/** `/docs`: a first call, and the way to every guide and every group of the API. */
export function startPage(pages: readonly SitePage[]): SitePage {
  return {
    path: '/docs',
    part: 'guides',
    section: null,
    label: 'Start',
    title: 'Guides and API',
    about: '',
    content: () => ({ layout: 'start', body: renderStart(pages), outline: [] }),
    finds: () => [],
  }
}

const { key } = CALLER_VARIABLES

/** The examples notify the user of the demo brand, who has a simulated device from the first start on. */
const FIRST_PUSH = `curl "${OWN_ADDRESS}/api/v1/android/send" \\
  -H "x-brand-id: ${DEMO_BRAND}" \\
  -H "x-api-key: $${key}" \\
  -H 'content-type: application/json' \\
  -d '{
    "user_id": "demo-user",
    "title": "Hello",
    "message": "It works."
  }'`

function renderStart(pages: readonly SitePage[]): Html {
  const guides = pages.filter(({ part }) => part === 'guides')
  const api = pages.filter(({ part }) => part === 'api')
  return html`<div class="hero">
    <div>
      <h1>Send a push, log an event, know what became of it.</h1>
      <p class="lead">The guides say how and why, page by page. The API pages have every call with its fields, a line to
        paste and a sample reply. This Beckon answers at <code>${OWN_ADDRESS}</code>.</p>
      <p class="ways"><a class="btn go" href="/docs/guides/start">First steps</a> <a class="btn" href="/docs/guides/web-sdk">Put it on a site</a>
        <a class="btn" href="/demo">Open the demo shop</a></p>
    </div>
    <div class="try"><h2>The first push</h2>${renderCode(FIRST_PUSH, 'sh')}
      <p class="note">The first start of Beckon printed the secret key of the brand <code>${DEMO_BRAND}</code>. Put it
        into <code>$${key}</code>.</p>
    </div>
  </div>
  <h2 id="guides">Guides</h2>
  <div class="index">${bySection(guides)}</div>
  <h2 id="api">API</h2>
  <div class="index">${bySection(api)}</div>`
}

function bySection(pages: readonly SitePage[]): readonly Html[] {
  return [...Map.groupBy(pages, ({ section }) => section ?? '')].map(([section, rows]) => {
    const links = rows.map(
      ({ path, label, about }) =>
        html`<li><a href="${path}">${label}</a> <span class="quiet">${about}</span></li>`,
    )
    return html`<section><h3>${section}</h3><ul>${links}</ul></section>`
  })
}
