import { SCOPES } from '../../rules/brand.ts'
import { CALLER_VARIABLES } from '../../rules/caller-variables.ts'
import { ERRORS } from '../../rules/errors.ts'
import { LIMITS } from '../../rules/limits.ts'
import type { Route } from '../route.ts'
import { renderDocuments, renderEndpoint } from './endpoint.ts'
import { type Html, html, prose } from './html.ts'
import { operationId } from './openapi.ts'
import { STYLE } from './style.ts'

/** `/docs`: the whole API on one page, made from the rows that serve it. */
export function renderDocs(routes: readonly Route[]): string {
  const groups = [...Map.groupBy(routes, ({ group }) => group)]
  return renderPage(
    'Beckon API',
    html`<a class="skip" href="#top">Skip the contents</a><div class="frame">
    <nav aria-label="Contents"><strong>Beckon API</strong>
      <ul>${INTRODUCTION.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
      ${groups.map(([group, rows]) => renderContents(group, rows))}
      <ul><li><a href="#documents">Documents</a></li><li><a href="#errors">All errors</a></li><li><a href="/openapi.json">openapi.json</a></li>
        <li><a href="/demo">Demo shop</a></li></ul>
    </nav>
    <main id="top" tabindex="-1">
      <h1>Beckon API</h1>
      <p class="lead">Push notifications and event tracking that you host yourself. One server, one port, JSON in and
        JSON out.</p>
      ${INTRODUCTION.map(({ id, title, body }) => html`<h2 id="${id}">${title}</h2><section>${body}</section>`)}
      ${groups.map(([group, rows]) => html`<h2 id="${slug(group)}">${group}</h2>${rows.map(renderEndpoint)}`)}
      <h2 id="documents">Documents</h2>
      ${renderDocuments()}
      <h2 id="errors">All errors</h2>
      ${renderErrors()}
    </main></div>`,
  )
}

/** A whole page around its body. */
export function renderPage(title: string, body: Html): string {
  const head = html`<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>`
  return `${head.markup}<style>${STYLE}</style></head><body>${body.markup}</body></html>\n`
}

function renderContents(group: string, rows: readonly Route[]): Html {
  return html`<h2><a href="#${slug(group)}">${group}</a></h2>
    <ul>${rows.map((route) => html`<li><a href="#${operationId(route)}">${route.summary}</a></li>`)}</ul>`
}

function slug(group: string): string {
  return `group-${group.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
}

function renderErrors(): Html {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, message }]) =>
      html`<tr id="error-${code}"><td><code>${code}</code></td><td>${status}</td><td>${message}</td></tr>`,
  )
  return html`<div class="table"><table>
    <thead><tr><th>Code</th><th>Status</th><th>Message</th></tr></thead><tbody>${rows}</tbody></table></div>`
}

const SUCCESS = `{
  "message": "success",
  "processed": 1,
  "status_code": "200",
  "request_id": "0199…"
}`

const FAILURE = `{
  "message": "title is required.",
  "processed": 0,
  "status_code": "400",
  "request_id": "0199…",
  "code": "field_missing",
  "errors": [{ "code": "field_missing", "field": "title", "message": "title is required." }]
}`

/** A handler puts its own address here. No other part of the page can contain it. */
export const OWN_ADDRESS = '\u0000'

const SETUP = `export ${CALLER_VARIABLES.url}=${OWN_ADDRESS}
export ${CALLER_VARIABLES.brand}=…
export ${CALLER_VARIABLES.key}=…
# for the calls of web pages
export ${CALLER_VARIABLES.publicKey}=…`

const scopeRows = Object.entries(SCOPES).map(
  ([name, meaning]) => html`<tr><td><code>${name}</code></td><td>${meaning}</td></tr>`,
)

const INTRODUCTION: readonly { readonly id: string; readonly title: string; readonly body: Html }[] = [
  {
    id: 'authentication',
    title: 'Authentication',
    body: html`<p>${prose('Send the headers `x-api-key` and `x-brand-id`; or `Authorization: Bearer` with the key alone, which knows its brand. A key that is missing, unknown, revoked or another brand’s gets the same 401. The examples below work once these are set:')}</p>
      <pre><code>${SETUP}</code></pre>
      <p>A key has scopes:</p>
      <div class="table"><table><tbody>${scopeRows}</tbody></table></div>`,
  },
  {
    id: 'replies',
    title: 'Replies',
    body: html`<p>${prose('Every reply has the same envelope; what it carries stands beside it, under its noun. A success means that it is on disk.')}</p>
      <pre><code>${SUCCESS}</code></pre>
      <p>${prose('A failure says what is wrong, where, and what to do. Write your program against `code`, and quote `request_id` when you ask for help.')}</p>
      <pre><code>${FAILURE}</code></pre>
      <p>${prose('Unknown fields change nothing; they are named in `warnings`. Integers are exact to 64 bits, in and out.')}</p>`,
  },
  {
    id: 'bodies',
    title: 'Bodies',
    body: html`<p>${prose(`Bodies are JSON in UTF-8, at most ${LIMITS.bodyBytesMax / 1024 ** 2} MiB and ${LIMITS.bodyDepthMax} levels deep unless an endpoint says otherwise, plain or with \`content-encoding: gzip\`. Paths match in any letter case, with or without a trailing slash.`)}</p>`,
  },
  {
    id: 'repeating',
    title: 'Repeating safely',
    body: html`<p>${prose(`Where an endpoint takes an \`Idempotency-Key\`, the same key with the same request gives the stored reply again for ${LIMITS.idempotencyHours} hours, with the header \`idempotency-replayed: true\`. The same key with another request is 422; while the first is still running, 409. Refusals are not stored.`)}</p>`,
  },
  {
    id: 'limits',
    title: 'Limits and overload',
    body: html`<p>${prose('A limited endpoint tells in `RateLimit` and `RateLimit-Policy` what is left. Past the limit it answers 429, and a process with too much to do answers 503: both with `Retry-After`, and nothing was done.')}</p>`,
  },
  {
    id: 'lists',
    title: 'Lists',
    body: html`<p>${prose(`A list takes \`limit\` (up to ${LIMITS.pageSizeMax}, ${LIMITS.pageSizeDefault} if not given) and \`cursor\`, and gives \`next_cursor\`, which is null on the last page.`)}</p>`,
  },
]
