import type { Readable } from 'node:stream'
import type { Result } from '../domain/result.ts'
import type { Actor } from '../domain/team/actor.ts'
import type { Scope } from '../rules/brand.ts'

/** The caller of a request: its author, the brand it works in, and what it may do there. */
export type Caller = {
  readonly brandId: number
  readonly brandExternalId: string
  readonly scopes: readonly Scope[]
  readonly allowedOrigins: readonly string[]
  /** Settings of the brand that decide how a request is read. */
  readonly timeZone: string
  readonly profileMerging: boolean
  readonly actor: Actor
}

/** A request that needs no key. `body` is parsed JSON and still unknown; a handler parses it into its own type. */
export type OpenRequest = {
  /** Ours, never the caller's; it is on the reply, in the log and in every envelope. */
  readonly id: string
  readonly method: string
  /** The row's path, so that all spellings of one address are one thing in buckets and metrics. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: unknown
  /** The caller's network (`networkOf`), for limits; it is not stored with what the caller sends. */
  readonly network: string
  /** Aborts when the caller is gone; whatever streams must stop then. */
  readonly signal: AbortSignal
}

/** A request made with a valid key that has the row's scope. */
export type TenantRequest = OpenRequest & {
  /** The body as it came, inflated, for a handler that hands it on; empty when it was too large to keep. */
  readonly bytes: Uint8Array
  readonly caller: Caller
  /** Finds the caller again, for a reply that lasts: the key or the session may be gone by then. */
  readonly recheck: () => Promise<Result<Caller>>
  /** The key by which `replyOnce` does the work a single time; null when the caller sent no Idempotency-Key. */
  readonly idempotency: Idempotency | null
}

/** A request whose body is too large to hold: the handler reads it as it arrives, inflated and bounded. */
export type StreamRequest = TenantRequest & { readonly stream: Readable }

export type Idempotency = { readonly key: string; readonly requestHash: Uint8Array }

/** The value of a `{name}` in the row's path. A name the path lacks is a mistake in the row. */
export function param(request: OpenRequest, name: string): string {
  const value = request.params[name]
  if (value === undefined) throw new Error(`${request.path} has no parameter ${name}`)
  return value
}
