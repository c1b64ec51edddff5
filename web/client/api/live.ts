// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.
export type LiveApi = {
  /** Watch subjects live */
  readonly 'GET /api/v1/live': {
    readonly query: {
      /** Up to 20, with commas between them: `notification:<id>`, `campaign:<id>`, `journey:<id>`, `overview`, `virtual_devices`, `events`. */
      readonly subjects: string
      /** The id of the brand, for a member in a browser, which cannot send x-brand-id here. */
      readonly brand?: string
      /** The id of the last event of an earlier stream, if it cannot be sent as Last-Event-ID. */
      readonly last_event_id?: string
    }
    readonly reply: Response
  }
}
