/**
 * The one way out to a provider. Clients know only this, and nothing of connections and frames.
 */
export type Transport = {
  /** Never rejects: whatever went wrong is an `Answer`. */
  readonly send: (request: ProviderRequest) => Promise<ProviderAnswer>
  /** Leads later requests of this route over new connections; what is under way on the old ones may finish. */
  readonly retire: (route: ProviderRoute) => void
  /** Lets what is under way finish, within the answer timeout, and refuses the rest as `unsent`. */
  readonly close: () => Promise<void>
}

/** Connections are shared within a route. APNs allows one team per connection, hence the partition. */
export type ProviderRoute = {
  /** `https://host` or `https://host:port`. */
  readonly origin: string
  readonly partition: string
}

/** Always a POST. */
export type ProviderRequest = {
  readonly route: ProviderRoute
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

export type ProviderAnswer =
  /** The status is certain. The body is cut at `answerBytesMax`, or where the connection broke. */
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly retryAfter: string | null
      readonly body: string
    }
  /** The provider did not process it: sending it again cannot make it arrive twice. */
  | { readonly kind: 'unsent'; readonly reason: string }
  /** It left, and nobody knows whether it was processed. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** The address leads inside our own network; it was not connected to. */
  | { readonly kind: 'blocked'; readonly reason: string }
