import { SCOPES } from '../../rules/brand.ts'
import { CALLER_VARIABLES } from '../../rules/caller-variables.ts'
import { EVENT_LIMITS } from '../../rules/events.ts'
import { LIMITS } from '../../rules/limits.ts'
import { type Html, html, prose } from './html.ts'
import { renderCode } from './markdown.ts'
import { OWN_ADDRESS } from './own-address.ts'
import { prettyJson } from './pretty-json.ts'

/** A section of `/docs/api/basics`. */
export type Basic = { readonly id: string; readonly title: string; readonly body: Html }

const SUCCESS = { message: 'success', processed: 1, status_code: '200', request_id: '0199…' }

/** A refusal as a program gets it. */
export const FAILURE_SAMPLE = {
  message: 'title is required.',
  processed: 0,
  status_code: '400',
  request_id: '0199…',
  code: 'field_missing',
  errors: [{ code: 'field_missing', field: 'title', message: 'title is required.' }],
}

/** The variables of every line to type. */
export const SETUP = `export ${CALLER_VARIABLES.url}=${OWN_ADDRESS}
export ${CALLER_VARIABLES.brand}=…
export ${CALLER_VARIABLES.key}=…
# for the calls of web pages
export ${CALLER_VARIABLES.publicKey}=…`

const scopeRows = Object.entries(SCOPES).map(
  ([name, meaning]) => html`<tr><td><code>${name}</code></td><td>${meaning}</td></tr>`,
)

/** The rules that hold for every endpoint. */
export const BASICS: readonly Basic[] = [
  {
    id: 'authentication',
    title: 'Authentication',
    body: html`<p>${prose('Send the headers `x-api-key` and `x-brand-id`; or `Authorization: Bearer` with the key alone, which knows its brand. A key that is missing, unknown, revoked or another brand’s gets the same 401. The lines to type on these pages work once these are set:')}</p>
      ${renderCode(SETUP, 'sh')}
      <p>The first start of Beckon printed both keys of the demo brand. A key has scopes:</p>
      <div class="table"><table><thead><tr><th scope="col">Scope</th><th scope="col">What it allows</th></tr></thead>
      <tbody>${scopeRows}</tbody></table></div>`,
  },
  {
    id: 'replies',
    title: 'Replies',
    body: html`<p>${prose('Every reply has the same envelope; what it carries stands beside it, under its noun. A success means that it is on disk.')}</p>
      ${renderCode(prettyJson(SUCCESS), 'json')}
      <p>${prose('A failure says what is wrong, where, and what to do. Write your program against `code`, and quote `request_id` when you ask for help.')}</p>
      ${renderCode(prettyJson(FAILURE_SAMPLE), 'json')}
      <p>${prose('Unknown fields change nothing; they are named in `warnings`. Integers are exact to 64 bits, in and out.')}</p>`,
  },
  {
    id: 'bodies',
    title: 'Bodies',
    body: html`<p>${prose(`Bodies are JSON in UTF-8, at most ${LIMITS.bodyBytesMax / 1024 ** 2} MiB and ${LIMITS.bodyDepthMax} levels deep, with at most ${LIMITS.bodyMembersMax} members in one object (${EVENT_LIMITS.bodyMembersMax} where attributes of events or people are sent), unless an endpoint says otherwise, plain or with \`content-encoding: gzip\`. Paths match in any letter case, with or without a trailing slash.`)}</p>`,
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
