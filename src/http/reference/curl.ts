import { encodeJson } from '../../domain/values/json.ts'
import { CALLER_VARIABLES } from '../../rules/caller-variables.ts'
import type { Route } from '../route.ts'
import { fieldLines } from './fields.ts'
import { prettyJson } from './pretty-json.ts'
import { isForTeam } from './route-codes.ts'

/** A line for the shell that works once the variables of `/docs` are set. A value from another reply is fetched first. */
export function curlLine(route: Route): string {
  const { exampleFrom, body } = route
  if (exampleFrom === undefined) return callLine(route)
  const { member, replaces, pick } = exampleFrom
  const found = `grep -o '"${member}":"[^"]*' | ${PICKS[pick]} | cut -d'"' -f4`
  const value = body === 'none' ? `$${member}` : `'"$${member}"'`
  return [
    `${member}=$(${callLine(exampleFrom.route).replace('curl', 'curl -s')} | ${found})`,
    callLine(route).replaceAll(replaces, value),
  ].join('\n')
}

const PICKS = { first: 'head -1', last: 'tail -1' } as const

function callLine(route: Route): string {
  const { method, path, body, isIdempotent } = route
  const verb = method === 'GET' || (method === 'POST' && body !== 'none') ? '' : `-X ${method} `
  const address = `"$${CALLER_VARIABLES.url}${path.replaceAll('{', '<').replaceAll('}', '>')}${queryOf(route)}"`
  const lines = [
    `curl ${verb}${address}`,
    ...keyLines(route),
    ...(isIdempotent === true ? [`-H "idempotency-key: ${FRESH_KEY}"`] : []),
    ...bodyLines(route),
  ]
  return lines.join(' \\\n  ')
}

/** An endpoint for pages takes the publishable key and an Origin header; Beckon's own origin is always allowed. */
function keyLines(route: Route): readonly string[] {
  const { scopes, cors } = route
  const { url, brand, key, publicKey } = CALLER_VARIABLES
  const session = [`-H "origin: $${url}"`, `-H "cookie: beckon.session_token=<session>"`]
  if (route.isForMembers === true) return session
  if (scopes === null) return []
  if (isForTeam(route)) return [...session, `-H "x-brand-id: $${brand}"`]
  const brandLine = `-H "x-brand-id: $${brand}"`
  return cors === 'brand'
    ? [`-H "x-api-key: $${publicKey}"`, brandLine, `-H "origin: $${url}"`]
    : [`-H "x-api-key: $${key}"`, brandLine]
}

/** A shell expression that gives a new key at every paste. It reads `/dev/urandom`, because not every shell has `$RANDOM`. */
const FRESH_KEY = "$(od -An -N8 -tx1 /dev/urandom | tr -d ' ')"

function queryOf({ querySchema, exampleQuery = {} }: Route): string {
  const needed = fieldLines(querySchema).filter(({ isRequired }) => isRequired)
  const query = { ...Object.fromEntries(needed.map(({ name }) => [name, `<${name}>`])), ...exampleQuery }
  const words = Object.entries(query).map(([name, value]) => `${name}=${value}`)
  return words.length === 0 ? '' : `?${words.join('&')}`
}

function bodyLines({ body, bodyTypes: [type] = [], example }: Route): readonly string[] {
  if (body === 'none') return []
  // Left to itself, curl would call the file a form.
  if (body === 'stream') return [`-H 'content-type: ${type}'`, '--data-binary @FILE']
  const line = encodeJson(example ?? {})
  const json = line.length <= JSON_LINE_CHARS_MAX ? line : prettyJson(example, '  ')
  return ["-H 'content-type: application/json'", `-d '${json.replaceAll("'", String.raw`'\''`)}'`]
}

/** A longer body has several lines, for its reader. */
const JSON_LINE_CHARS_MAX = 60
