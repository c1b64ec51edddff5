import { CALLER_VARIABLES } from '../../rules/caller-variables.ts'
import { ERRORS } from '../../rules/errors.ts'
import { RATE_POLICIES } from '../edge/rate-limit.ts'
import type { Route } from '../route.ts'
import { scopesOf } from '../route-scopes.ts'
import { curlLine } from './curl.ts'
import { renderFields, renderFoldedFields } from './field-table.ts'
import { type FieldLine, fieldLines } from './fields.ts'
import { guideProse } from './guide-prose.ts'
import { type Html, html, prose } from './html.ts'
import { renderCode } from './markdown.ts'
import { operationId } from './openapi.ts'
import { OWN_ADDRESS } from './own-address.ts'
import { prettyJson } from './pretty-json.ts'
import { codesOf, isForTeam } from './route-codes.ts'
import { sampleReply } from './sample.ts'

/** One endpoint: what it is for, what goes in, what comes out, what can go wrong, and a line to try. */
export function renderEndpoint(route: Route, group: readonly Route[]): Html {
  const id = operationId(route)
  return html`<article class="endpoint" aria-labelledby="${id}">
    <div class="about">
      <h2 id="${id}"><a class="anchor" href="#${id}">${route.summary}</a></h2>
      <p class="address">${renderAddress(route)}</p>
      ${route.description === undefined ? '' : html`<p>${guideProse(route.description)}</p>`}
      <ul class="facts">${factsOf(route).map((fact) => html`<li>${prose(fact)}</li>`)}</ul>
      ${renderFields('Query', fieldLines(route.querySchema))}
      ${renderFields('Body', fieldLines(route.bodySchema))}
      ${renderFoldedFields('Fields of the reply', fieldLines(route.reply).map(withoutNeed))}
      ${renderCodes(route)}
    </div>
    <div class="try">
      <h3>Request</h3>
      ${renderCode(curlLine(route).replaceAll(`$${CALLER_VARIABLES.url}`, OWN_ADDRESS), 'sh')}
      ${renderReply(route, group)}
    </div>
  </article>`
}

/** The method and the path, with the parts that the caller fills in set apart. */
export function renderAddress({ method, path }: Pick<Route, 'method' | 'path'>): Html {
  const parts = path
    .split(/(\{\w+\})/)
    .map((part) => (part.startsWith('{') ? html`<span class="token">${part}</span>` : html`${part}`))
  return html`<span class="method">${method}</span> <span class="path">${parts}</span>`
}

function renderReply(route: Route, group: readonly Route[]): Html {
  const sample = sampleReply(route, group)
  return sample === null
    ? html``
    : html`<h3>Reply <span class="quiet">200</span></h3>${renderCode(prettyJson(sample), 'json')}`
}

function factsOf(route: Route): readonly string[] {
  const { rateLimit, isIdempotent, replyType } = route
  const types = [replyType ?? []].flat().map((type) => `\`${type}\``)
  return [
    needOf(route),
    ...(rateLimit === undefined ? [] : [rateWords(route, rateLimit)]),
    ...(isIdempotent === true ? ['Takes an `Idempotency-Key`.'] : []),
    ...(types.length === 0 ? [] : [`Replies with ${types.join(' or ')}.`]),
  ]
}

function needOf(route: Route): string {
  if (route.isForAdministrators === true) return 'Needs a signed-in administrator.'
  if (route.isForMembers === true) return 'Needs a signed-in member.'
  if (route.scopes === null) return 'Needs no key.'
  const scopes = scopesOf(route).map((name) => `\`${name}\``)
  return `Needs a ${isForTeam(route) ? 'member' : 'key'} with the scope ${scopes.join(' or ')}.`
}

function rateWords({ scopes }: Route, policy: keyof typeof RATE_POLICIES): string {
  const { requestsMax, windowMs } = RATE_POLICIES[policy]
  return `At most ${requestsMax} requests in any ${windowMs / 1000} seconds, for each ${scopes === null ? 'network' : 'brand'}.`
}

/** In a reply no field is marked as required: nobody has to send it. */
function withoutNeed(line: FieldLine): FieldLine {
  return { ...line, isRequired: false }
}

function renderCodes(route: Route): Html {
  const codes = codesOf(route).toSorted((one, other) => ERRORS[one].status - ERRORS[other].status)
  return html`<details class="fold">
    <summary>What can go wrong</summary>
    <dl class="codes">${codes.map(
      (code) =>
        html`<div><dt><span class="status">${ERRORS[code].status}</span> <a href="/docs/api/errors#error-${code}"><code>${code}</code></a></dt><dd>${ERRORS[code].message}</dd></div>`,
    )}</dl>
  </details>`
}
