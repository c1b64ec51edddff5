// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
export type Success = {
  readonly message: string
  /** How many things were processed; 0 on failure. */
  readonly processed: number
  /** The HTTP status, as a string. */
  readonly status_code: string
  /** Ours, for the log. Also in the header x-request-id. */
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
  /** How many things were processed; 0 on failure. */
  readonly processed: number
  /** The HTTP status, as a string. */
  readonly status_code: string
  /** Ours, for the log. Also in the header x-request-id. */
  readonly request_id: string
  /** Stable, for programs: the code of the first error. */
  readonly code: string
  /** Everything that was found. */
  readonly errors: readonly {
    /** Where, if it is about one field. */
    readonly field: string | null
    readonly code: string
    readonly message: string
  }[]
  /** Where a call takes entries: each of them, with what is wrong with it. */
  readonly unprocessed?: readonly {
    readonly index: number
    /** Where, if it is about one field. */
    readonly field: string | null
    readonly code: string
    readonly message: string
  }[]
}
