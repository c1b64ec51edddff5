/**
 * Sends requests to providers. The clients of providers know only this type, and nothing of connections and frames.
 */
export type Transport = {
  /** Never throws: a failure is a `ProviderAnswer` too. A broadcast makes no promise for each of its messages. */
  readonly post: (request: ProviderRequest, onAnswer: OnAnswer) => void
  /** The same for a caller that waits for the answer. */
  readonly send: (request: ProviderRequest) => Promise<ProviderAnswer>
  /** Sends later requests of this route over new connections. Requests under way finish on the old ones. */
  readonly retire: (route: ProviderRoute) => void
  /** Lets requests under way finish for a while, and answers all others as `unsent`. */
  readonly close: () => Promise<void>
}

/** Called exactly once for each request. It must not throw. */
export type OnAnswer = (answer: ProviderAnswer) => void

/** Connections are shared within a route. Each channel has a partition of its own (`ownConnections`). */
export type ProviderRoute = {
  /** `https://host` or `https://host:port`. */
  readonly origin: string
  readonly partition: string
}

/** The request of a provider's client, always a POST. */
export type ProviderRequest = {
  readonly route: ProviderRoute
  readonly path: string
  /** The headers that many requests share. Requests with one and the same object share its bytes, too. */
  readonly headers: SharedHeaders
  /** The headers of this request alone. */
  readonly ownHeaders?: HeaderList
  readonly body: string | Uint8Array
  /** False if nobody reads the body of an acceptance; then it may be empty in the answer. */
  readonly isAcceptedBodyRead?: false
}

export type SharedHeaders = Readonly<Record<string, string>>

export type HeaderList = readonly (readonly [name: string, value: string])[]

export type ProviderAnswer =
  /** The status is certain. The body is cut at `answerBytesMax`, or where the connection broke. */
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly retryAfter: string | null
      readonly body: string
    }
  /** The provider did not process the request: sending it again cannot make a message arrive twice. */
  | { readonly kind: 'unsent'; readonly reason: string }
  /** The request left, and nobody knows whether the provider processed it. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** The address is inside our own network, so that no connection was made. */
  | { readonly kind: 'blocked'; readonly reason: string }
