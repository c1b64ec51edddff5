import type { ReplyOf } from '../kit/call.ts'

/** An event name with its attributes and their locks. */
export type SchemaEvent = ReplyOf<'GET /api/v1/events/schema'>['events'][number]

/** The answer to a question; there is none only for a dry run. */
export type EventAnswer = NonNullable<ReplyOf<'POST /api/v1/events/query'>['answer']>

export type Series = ReplyOf<'GET /api/v1/series'>['series']

export type PathsReply = ReplyOf<'GET /api/v1/events/paths'>
