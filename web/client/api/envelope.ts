// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
export type Success = {
  readonly message: string
  /** The number of processed entries; 0 on failure. */
  readonly processed: number
  /** The HTTP status, as a string. */
  readonly status_code: string
  /** The id of the request in the log; also in the header x-request-id. */
  readonly request_id?: string
  readonly warnings?: readonly {
    readonly field: string
    readonly code: string
    readonly message: string
  }[]
}

export type Failure = {
  /** A sentence for people, about the first error. */
  readonly message: string
  /** The number of processed entries; 0 on failure. */
  readonly processed: number
  /** The HTTP status, as a string. */
  readonly status_code: string
  /** The id of the request in the log; also in the header x-request-id. */
  readonly request_id: string
  /** The stable code of the first error, for programs. */
  readonly code: string
  /** All errors that were found. */
  readonly errors: readonly {
    /** The field, if the error is about one. */
    readonly field: string | null
    readonly code: string
    readonly message: string
  }[]
  /** In calls with entries: each refused entry, with its error. */
  readonly unprocessed?: readonly {
    readonly index: number
    /** The field, if the error is about one. */
    readonly field: string | null
    readonly code: string
    readonly message: string
  }[]
}
