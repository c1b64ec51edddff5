import { STATUS_CODES } from 'node:http'
import { ERRORS } from '../../rules/errors.ts'
import { BASICS, FAILURE_SAMPLE } from './basics.ts'
import { renderAddress, renderEndpoint } from './endpoint.ts'
import { renderFields } from './field-table.ts'
import { documentLines } from './fields.ts'
import type { Group } from './groups.ts'
import { guideProse } from './guide-prose.ts'
import { type Html, html } from './html.ts'
import { renderCode } from './markdown.ts'
import { operationId } from './openapi.ts'
import { DOCUMENT_SCHEMAS } from './openapi-components.ts'
import { prettyJson } from './pretty-json.ts'

/** `/docs/api/{group}`: the endpoints of one group. */
export function renderGroup({ name, slug, about, guide, routes }: Group): Html {
  const rows = routes.map(
    (route) => html`<li><a href="#${operationId(route)}"><span class="summary">${route.summary}</span>
      <span class="address">${renderAddress(route)}</span></a></li>`,
  )
  const more = guide === null ? '' : html` <a href="/docs/guides/${guide}">Read the guide</a>`
  return html`<h1 id="group-${slug}">${name}</h1>
    <p class="lead">${about}${more}</p>
    <ol class="rows">${rows}</ol>
    ${routes.map((route) => renderEndpoint(route, routes))}`
}

/** `/docs/api/basics`. */
export function renderBasics(): Html {
  return html`<h1>Basics</h1>
    <p class="lead">One server, one port, JSON in and JSON out. What holds for every endpoint.</p>
    ${BASICS.map(
      ({ id, title, body }) => html`<h2 id="${id}"><a class="anchor" href="#${id}">${title}</a></h2>${body}`,
    )}`
}

/** `/docs/api/documents`: the documents that callers write. */
export function renderDocuments(): Html {
  const documents = Object.entries(DOCUMENT_SCHEMAS).map(
    ([
      name,
      schema,
    ]) => html`<h2 id="document-${name}"><a class="anchor" href="#document-${name}">${name}</a></h2>
      <p>${guideProse(String(schema['description']))}</p>
      ${renderFields('Keys', documentLines(schema))}`,
  )
  return html`<h1 id="documents">Documents</h1>
    <p class="lead">The parts of a body that are written by hand: filters, journeys, campaigns.</p>
    ${documents}`
}

/** `/docs/api/errors`. */
export function renderErrors(): Html {
  const byStatus = Map.groupBy(Object.entries(ERRORS), ([, { status }]) => status)
  const groups = [...byStatus].toSorted(([one], [other]) => one - other)
  return html`<h1 id="errors">Errors</h1>
    <p class="lead">Every refusal has the same shape. Write your program against <code>code</code>, which is stable, and not
      against the sentence. Words in braces are filled in.</p>
    ${renderCode(prettyJson(FAILURE_SAMPLE), 'json')}
    ${groups.map(
      ([
        status,
        rows,
      ]) => html`<h2 id="status-${status}"><a class="anchor" href="#status-${status}">${statusWords(status)}</a></h2>
      <dl class="codes">${rows.map(
        ([code, { message }]) =>
          html`<div id="error-${code}"><dt><a class="anchor" href="#error-${code}"><code>${code}</code></a></dt><dd>${message}</dd></div>`,
      )}</dl>`,
    )}`
}

/** `404 Not found`. */
export function statusWords(status: number): string {
  const [first = '', ...rest] = STATUS_CODES[status] ?? ''
  return `${status} ${first}${rest.join('').toLowerCase()}`
}
