// Written by `npm run docs` from the OpenAPI document. Change the route, not this file.

import type { Json } from '../json.ts'
import type { Success } from './envelope.ts'

export type Audit = {
  readonly id: string
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly subject_type: string
  readonly subject_id: string
  readonly before: Readonly<Record<string, Json>> | null
  readonly after: Readonly<Record<string, Json>> | null
  readonly request_id: string | null
  readonly network: string | null
}

export type AuditApi = {
  /** List changes of the instance and who made them */
  readonly 'GET /api/v1/instance/audit': {
    readonly query?: {
      /** `key:<id>`, `member:<id>`, `cli` or `system`. */
      readonly actor?: string
      /** created, changed, deleted, restored, removed, exported, erased, merged, unmerged or used. */
      readonly action?: string
      /** The kind of thing: `segment`, `key`, `person` … */
      readonly subject_type?: string
      /** Its id; with subject_type. */
      readonly subject_id?: string
      /** The first instant, as 2026-03-29T12:00:00Z. */
      readonly from?: string
      /** The instant before which lines count. */
      readonly to?: string
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly audit: readonly Audit[]
      readonly next_cursor: string | null
    }
  }
  /** Export the audit log of the instance */
  readonly 'GET /api/v1/instance/audit/export': {
    readonly query?: {
      /** `key:<id>`, `member:<id>`, `cli` or `system`. */
      readonly actor?: string
      /** created, changed, deleted, restored, removed, exported, erased, merged, unmerged or used. */
      readonly action?: string
      /** The kind of thing: `segment`, `key`, `person` … */
      readonly subject_type?: string
      /** Its id; with subject_type. */
      readonly subject_id?: string
      /** The first instant, as 2026-03-29T12:00:00Z. */
      readonly from?: string
      /** The instant before which lines count. */
      readonly to?: string
      readonly format?: 'ndjson' | 'csv'
    }
    readonly reply: Response
  }
  /** List changes and who made them */
  readonly 'GET /api/v1/audit': {
    readonly query?: {
      /** `key:<id>`, `member:<id>`, `cli` or `system`. */
      readonly actor?: string
      /** created, changed, deleted, restored, removed, exported, erased, merged, unmerged or used. */
      readonly action?: string
      /** The kind of thing: `segment`, `key`, `person` … */
      readonly subject_type?: string
      /** Its id; with subject_type. */
      readonly subject_id?: string
      /** The first instant, as 2026-03-29T12:00:00Z. */
      readonly from?: string
      /** The instant before which lines count. */
      readonly to?: string
      /** The next_cursor of the previous page. */
      readonly cursor?: string
      /** The most rows in the reply. A page with large rows ends earlier, after 1 MiB. */
      readonly limit?: number
    }
    readonly reply: Success & {
      readonly audit: readonly Audit[]
      readonly next_cursor: string | null
    }
  }
  /** Export the audit log */
  readonly 'GET /api/v1/audit/export': {
    readonly query?: {
      /** `key:<id>`, `member:<id>`, `cli` or `system`. */
      readonly actor?: string
      /** created, changed, deleted, restored, removed, exported, erased, merged, unmerged or used. */
      readonly action?: string
      /** The kind of thing: `segment`, `key`, `person` … */
      readonly subject_type?: string
      /** Its id; with subject_type. */
      readonly subject_id?: string
      /** The first instant, as 2026-03-29T12:00:00Z. */
      readonly from?: string
      /** The instant before which lines count. */
      readonly to?: string
      readonly format?: 'ndjson' | 'csv'
    }
    readonly reply: Response
  }
}
