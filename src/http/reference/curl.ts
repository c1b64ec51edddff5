import { encodeJson } from '../../domain/json.ts'
import type { Route } from '../route.ts'
import { fieldLines } from './fields.ts'

/** A line that works once the three variables are set; `/docs` says how. */
export function curlLine(route: Route): string {
  const { method, path, scopes, body, isIdempotent } = route
  const verb = method === 'GET' || (method === 'POST' && body !== 'none') ? '' : `-X ${method} `
  const address = `"$BECKON_URL${path.replaceAll('{', '<').replaceAll('}', '>')}${queryOf(route)}"`
  const lines = [
    `curl ${verb}${address}`,
    ...(scopes === null ? [] : ['-H "x-api-key: $BECKON_API_KEY"', '-H "x-brand-id: $BECKON_BRAND_ID"']),
    ...(isIdempotent === true ? [`-H "idempotency-key: ${FRESH_KEY}"`] : []),
    ...bodyLines(route),
  ]
  return lines.join(' \\\n  ')
}

/** Another one at every paste, out of what every shell has. */
const FRESH_KEY = '$(date +%s)-$RANDOM'

function queryOf({ querySchema }: Route): string {
  const needed = fieldLines(querySchema).filter(({ isRequired }) => isRequired)
  return needed.length === 0 ? '' : `?${needed.map(({ name }) => `${name}=<${name}>`).join('&')}`
}

function bodyLines({ body, bodyTypes: [type] = [], example }: Route): readonly string[] {
  if (body === 'none') return []
  // Left to itself, curl would call the file a form.
  if (body === 'stream') return [`-H 'content-type: ${type}'`, '--data-binary @FILE']
  const json = encodeJson(example ?? {})
  return ["-H 'content-type: application/json'", `-d '${json.replaceAll("'", String.raw`'\''`)}'`]
}
