import type { ReplyOf } from '../kit/call.ts'

/** An event name with its attributes and their locks. */
export type SchemaEvent = ReplyOf<'GET /api/v1/events/schema'>['events'][number]

export type Series = ReplyOf<'GET /api/v1/series'>['series']
