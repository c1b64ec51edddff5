import { ERRORS } from '../../rules/errors.ts'
import { RATE_POLICIES } from '../edge/rate-limit.ts'
import type { Route } from '../route.ts'
import { scopesOf } from '../route-scopes.ts'
import { curlLine } from './curl.ts'
import { documentLines, type FieldLine, fieldLines } from './fields.ts'
import { type Html, html, prose } from './html.ts'
import { operationId } from './openapi.ts'
import { DOCUMENT_SCHEMAS } from './openapi-components.ts'
import { codesOf, isForTeam } from './route-codes.ts'

/** One endpoint in `/docs`: what it is for, what goes in, what comes out, what can go wrong, and a line to try. */
export function renderEndpoint(route: Route): Html {
  const id = operationId(route)
  return html`<article id="${id}">
    <div class="title">
      <h3><a class="anchor" href="#${id}">${route.summary}</a></h3>
      <span class="method ${route.method}">${route.method}</span>
      <span class="path">${route.path}</span>
    </div>
    ${route.description === undefined ? '' : html`<p>${prose(route.description)}</p>`}
    ${factsOf(route).map((fact) => html`<p class="facts">${prose(fact)}</p>`)}
    ${renderTable('Query', fieldLines(route.querySchema))}
    ${renderTable('Body', fieldLines(route.bodySchema))}
    <h4>Try it</h4>
    <pre><code>${curlLine(route)}</code></pre>
    ${renderTable('Reply', fieldLines(route.reply).map(withoutNeed))}
    ${renderCodes(route)}
  </article>`
}

function factsOf(route: Route): readonly string[] {
  const { rateLimit, isIdempotent, replyType } = route
  return [
    needOf(route),
    ...(rateLimit === undefined ? [] : [rateWords(route, rateLimit)]),
    ...(isIdempotent === true ? ['Takes an `Idempotency-Key`.'] : []),
    ...(replyType === undefined
      ? []
      : [
          `Replies with ${[replyType]
            .flat()
            .map((type) => `\`${type}\``)
            .join(' or ')}.`,
        ]),
  ]
}

function needOf(route: Route): string {
  if (route.isForMembers === true) return 'Needs a signed-in member.'
  if (route.scopes === null) return 'Needs no key.'
  const scopes = scopesOf(route).map((name) => `\`${name}\``)
  return `Needs a ${isForTeam(route) ? 'member' : 'key'} with the scope ${scopes.join(' or ')}.`
}

function rateWords({ scopes }: Route, policy: keyof typeof RATE_POLICIES): string {
  const { requestsMax, windowMs } = RATE_POLICIES[policy]
  return `At most ${requestsMax} requests in any ${windowMs / 1000} seconds, for each ${scopes === null ? 'network' : 'brand'}.`
}

function renderTable(title: string, lines: readonly FieldLine[]): Html {
  if (lines.length === 0) return html``
  return html`<h4>${title}</h4>
    <div class="table"><table>
      <thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead>
      <tbody>${lines.map(renderLine)}</tbody>
    </table></div>`
}

function renderLine({ name, type, isRequired, about }: FieldLine): Html {
  const need = isRequired ? html`<span class="need">required</span>` : ''
  return html`<tr><td><code>${name}</code>${need}</td><td class="type">${typeLinks(type)}</td><td>${prose(about)}</td></tr>`
}

/** The words of a type, where the name of a document leads to its table. */
function typeLinks(type: string): readonly Html[] {
  return type
    .split(/\b/)
    .map((word) => (DOCUMENT_NAMES.has(word) ? html`<a href="#document-${word}">${word}</a>` : html`${word}`))
}

const DOCUMENT_NAMES = new Set(Object.keys(DOCUMENT_SCHEMAS))

/** The tables of the documents that callers write. */
export function renderDocuments(): readonly Html[] {
  return Object.entries(DOCUMENT_SCHEMAS).map(
    ([name, schema]) => html`<article id="document-${name}">
      <div class="title"><h3><a class="anchor" href="#document-${name}">${name}</a></h3></div>
      <p>${String(schema['description'])}</p>
      ${renderTable('Keys', documentLines(schema))}
    </article>`,
  )
}

/** In a reply no field is marked as required: nobody has to send it. */
function withoutNeed(line: FieldLine): FieldLine {
  return { ...line, isRequired: false }
}

function renderCodes(route: Route): Html {
  const codes = codesOf(route).toSorted((one, other) => ERRORS[one].status - ERRORS[other].status)
  return html`<details>
    <summary>What can go wrong</summary>
    <div class="table"><table><tbody>${codes.map(
      (code) =>
        html`<tr><td>${ERRORS[code].status}</td><td><a href="#error-${code}"><code>${code}</code></a></td></tr>`,
    )}</tbody></table></div>
  </details>`
}
