import { encodeJson } from '../../domain/json.ts'
import type { Route } from '../route.ts'

/** A line that works once the three variables are set; `/docs` says how. */
export function curlLine({ method, path, scopes, body, example, isIdempotent }: Route): string {
  const verb = method === 'GET' || (method === 'POST' && body !== 'none') ? '' : `-X ${method} `
  const address = `"$BECKON_URL${path.replaceAll('{', '<').replaceAll('}', '>')}"`
  const lines = [
    `curl ${verb}${address}`,
    ...(scopes === null ? [] : ['-H "x-api-key: $BECKON_API_KEY"', '-H "x-brand-id: $BECKON_BRAND_ID"']),
    ...(isIdempotent === true ? ['-H "idempotency-key: $(uuidgen)"'] : []),
    ...bodyLines(body, example),
  ]
  return lines.join(' \\\n  ')
}

function bodyLines(body: Route['body'], example: object | undefined): readonly string[] {
  if (body === 'none') return []
  if (body === 'stream') return ['--data-binary @FILE']
  const json = encodeJson(example ?? {})
  return ["-H 'content-type: application/json'", `-d '${json.replaceAll("'", String.raw`'\''`)}'`]
}
