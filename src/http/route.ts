import type { JsonBounds } from '../domain/values/json-scanner.ts'
import type { Scope } from '../rules/brand.ts'
import type { ErrorCode } from '../rules/errors.ts'
import type { Deps } from './deps.ts'
import type { RatePolicy } from './edge/rate-limit.ts'
import type { Reply } from './reply.ts'
import type { OpenRequest, StreamRequest, TenantRequest } from './request.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** JSON Schema 2020-12: from `schema.ts` for our own bodies, from the rows in `rules/` for the contract's. */
export type JsonSchema = object

export type Handler<Request> = (deps: Deps, request: Request) => Promise<Reply>

/**
 * One endpoint, as a row. The server reads how to guard it, `/openapi.json` and `/docs` read how to describe it,
 * so what is checked and what is written down cannot drift apart.
 */
export type Route = OpenRoute | TenantRoute | StreamRoute

/** Anybody may call it. */
export type OpenRoute = RouteFacts & {
  readonly scopes: null
  /** `form`: the body of an HTML form, which a handler gets as `URLSearchParams`. */
  readonly body: 'none' | 'json' | 'form'
  readonly handler: Handler<OpenRequest>
}

/** Needs a key that has any of the scopes. */
export type TenantRoute = RouteFacts & {
  readonly scopes: readonly [Scope, ...Scope[]]
  readonly body: 'none' | 'json'
  readonly handler: Handler<TenantRequest>
}

/** Needs a key, and reads its body as it arrives. */
export type StreamRoute = RouteFacts & {
  readonly scopes: readonly [Scope, ...Scope[]]
  readonly body: 'stream'
  readonly handler: Handler<StreamRequest>
}

type RouteFacts = {
  readonly method: Method
  /** Lower case, parameters in braces: `/api/v1/brand/keys/{id}`. Callers may write it in any case. */
  readonly path: string
  /** The heading it stands under in `/docs`. */
  readonly group: string
  readonly summary: string
  readonly description?: string
  /** The schemas that the handler parses the body and the query with. */
  readonly bodySchema?: JsonSchema
  readonly querySchema?: JsonSchema
  /** The media types that a stream takes; the first is shown in `/docs`. */
  readonly bodyTypes?: readonly string[]
  /** The fields of a success beside the envelope. */
  readonly reply?: JsonSchema
  /** The content types of a success that is no JSON envelope. */
  readonly replyType?: string | readonly string[]
  /** A body that works, for the curl line in `/docs`. */
  readonly example?: object
  /** A query that works, for the same line, where the schema alone does not say what to ask. */
  readonly exampleQuery?: Readonly<Record<string, string>>
  /** The value that the same line needs from the reply of another row. */
  readonly exampleFrom?: ExampleFrom
  /** Refusals of this row's own; those of every row are known. */
  readonly refusals?: readonly ErrorCode[]
  /** More or less than `LIMITS.bodyBytesMax`, counted after decompression. */
  readonly bodyBytesMax?: number
  /** Other bounds than those of every body, for an endpoint that takes long lists. */
  readonly bodyBounds?: JsonBounds
  /** Called by pages: which of them may, and that the body may come as text/plain, which needs no preflight. */
  readonly cors?: Cors
  /** Counts against this policy, one budget for each row and brand; for pages, for each network too; without a key, for each network. */
  readonly rateLimit?: RatePolicy
  /**
   * May ask much of the database: few at once in all, and fewer of each brand and lane; the others wait. A brand's own
   * reads do not hold up its sends.
   */
  readonly lane?: Lane
  /** Changes nothing although it is no GET: the read half of its scope is enough. */
  readonly isRead?: true
  /** The read scopes that are enough, where they are not the halves of `scopes`. */
  readonly readScopes?: readonly Scope[]
  /** Needs the session of a member and no brand (`memberHandler`), although anybody may send it. */
  readonly isForMembers?: true
  /** The same, and the member must administer the instance (`administratorHandler`). */
  readonly isForAdministrators?: true
  /** Shows or changes a secret, or is hard to undo: a member must have proved lately who they are (`checkProof`, `withProof`). */
  readonly needsProof?: true
  /** Takes an Idempotency-Key; the handler saves through `replyOnce`. */
  readonly isIdempotent?: true
  /** Replies with a stream that may last for days. It is no request in flight while it streams; `LiveHub` bounds it. */
  readonly isLive?: true
  /** A member may name the brand as `brand` in the query: `EventSource` of browsers sends no headers. */
  readonly takesBrandInQuery?: true
  /** Answered even when the process is overloaded: someone asks how it is. */
  readonly isExempt?: true
}

export type Lane = 'reads' | 'sends'

/** One member of the reply to another row, the first or the last of that name, and the words it takes the place of. */
export type ExampleFrom = {
  readonly route: Route
  readonly member: string
  readonly pick: 'first' | 'last'
  /** In the example, or a parameter of the path. */
  readonly replaces: string
}

/**
 * Which pages may call a row and read its reply. `brand`: those of the origins that the key's brand allows. `anyone`:
 * whoever holds a signed token, since that alone is the proof. There are no cookies here, so a page never acts with
 * more than it holds, and credentials are never allowed.
 */
export type Cors = 'brand' | 'anyone'
