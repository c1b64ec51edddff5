import { ERRORS, type ErrorCode } from '../../rules/errors.ts'
import type { JsonSchema, Route } from '../route.ts'
import { scopesOf } from '../route-scopes.ts'
import { fieldsOf, membersOf } from '../schema/walk.ts'
import { COMPONENTS } from './openapi-components.ts'
import { codesOf, isForTeam } from './route-codes.ts'

/** The OpenAPI 3.1 document, made from the same rows that serve the requests. */
export function buildOpenApi(routes: readonly Route[]): object {
  const groups = [...new Set(routes.map(({ group }) => group))]
  return {
    openapi: '3.1.0',
    info: {
      title: 'Beckon',
      version: '1',
      summary: 'Push notifications and event tracking that you host yourself',
      description:
        'Paths match in any letter case, with or without a trailing slash. See /docs for a page to read.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: groups.map((name) => ({ name })),
    paths: Object.fromEntries([...pathsOf(routes)].map(([path, rows]) => [path, pathItem(rows)])),
    components: COMPONENTS,
  }
}

/** A name for an endpoint that stays as long as its address does: `postApiV1BrandKeysIdRevoke`. */
export function operationId({ method, path }: Pick<Route, 'method' | 'path'>): string {
  const words = path.split(/[^a-z0-9]+/i).filter((word) => word !== '')
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return `${method.toLowerCase()}${name === '' ? 'Root' : name}`
}

function pathsOf(routes: readonly Route[]): ReadonlyMap<string, readonly Route[]> {
  return Map.groupBy(routes, ({ path }) => path)
}

function pathItem(rows: readonly Route[]): object {
  return Object.fromEntries(rows.map((route) => [route.method.toLowerCase(), operation(route)]))
}

function operation(route: Route): object {
  const { group, summary, description, rateLimit } = route
  return {
    operationId: operationId(route),
    tags: [group],
    summary,
    ...(description === undefined ? {} : { description }),
    security: securityOf(route),
    ...(route.scopes === null ? {} : { 'x-scopes': scopesOf(route) }),
    ...(rateLimit === undefined ? {} : { 'x-rate-limit': rateLimit }),
    parameters: [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)],
    ...requestBody(route),
    responses: { ...success(route), ...failures(route) },
  }
}

/** A member may call whatever a key may, as far as the role goes; some rows are for members alone. */
function securityOf(route: Route): readonly object[] {
  if (route.isForMembers === true) return [{ session: [] }]
  if (route.scopes === null) return []
  const member = { session: [], brandId: [] }
  if (isForTeam(route)) return [member]
  const keys = [{ apiKey: [], brandId: [] }, { bearer: [] }]
  return route.cors === undefined ? [...keys, member] : keys
}

function pathParameters({ path }: Route): readonly object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

function queryParameters({ querySchema }: Route): readonly object[] {
  const { required } = membersOf(querySchema)
  const names: readonly unknown[] = Array.isArray(required) ? required : []
  return Object.entries(fieldsOf(querySchema) ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: names.includes(name),
    schema,
  }))
}

function headerParameters({ isIdempotent }: Route): readonly object[] {
  return isIdempotent === true ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []
}

function requestBody({ body, bodyTypes = ['*/*'], bodySchema, example }: Route): object {
  if (body === 'none') return {}
  if (body === 'stream') {
    const content = Object.fromEntries(bodyTypes.map((type) => [type, {}]))
    return { requestBody: { required: true, content } }
  }
  const schema: JsonSchema = bodySchema ?? { type: 'object' }
  const media = example === undefined ? { schema } : { schema, example }
  return { requestBody: { required: true, content: { 'application/json': media } } }
}

function success({ reply, replyType, rateLimit }: Route): object {
  const envelope = { $ref: '#/components/schemas/Success' }
  const schema = reply === undefined ? envelope : { allOf: [envelope, reply] }
  const other = reply === undefined ? {} : { schema: reply }
  const content =
    replyType === undefined
      ? { 'application/json': { schema } }
      : Object.fromEntries([replyType].flat().map((type) => [type, other]))
  const headers = rateLimit === undefined ? REQUEST_ID : { ...REQUEST_ID, ...RATE_LIMIT }
  return { 200: { description: 'Done, and stored on disk.', headers, content } }
}

const REQUEST_ID = { 'x-request-id': { $ref: '#/components/headers/RequestId' } }
const RATE_LIMIT = {
  ratelimit: { $ref: '#/components/headers/RateLimit' },
  'ratelimit-policy': { $ref: '#/components/headers/RateLimitPolicy' },
}
const RETRY_AFTER = { 'retry-after': { $ref: '#/components/headers/RetryAfter' } }
const RETRIED = new Set(['409', '429', '503'])

function failures(route: Route): object {
  const byStatus = Map.groupBy(codesOf(route), (code) => String(ERRORS[code].status))
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, failure(status, codes)]))
}

function failure(status: string, codes: readonly ErrorCode[]): object {
  const named = { type: 'object', properties: { code: { enum: codes } } }
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n'),
    headers: RETRIED.has(status) ? { ...REQUEST_ID, ...RETRY_AFTER } : REQUEST_ID,
    content: {
      'application/json': { schema: { allOf: [{ $ref: '#/components/schemas/Failure' }, named] } },
    },
  }
}
