import { isLater, parsePosition, type TailPosition } from '../../domain/events/tail-position.ts'
import { fault } from '../../domain/fault.ts'
import { type LiveSubject, parseSubjects } from '../../domain/live/subject.ts'
import type { Rejection } from '../../domain/result.ts'
import { isOpenTo } from '../../domain/team/scopes.ts'
import { unreachable } from '../../domain/unreachable.ts'
import { LIVE_LIMITS, LIVE_SUBJECTS } from '../../rules/live.ts'
import { aborted } from '../../runtime/clock.ts'
import type { Deps } from '../deps.ts'
import { type Reply, refuse } from '../reply.ts'
import type { TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import type { LiveBounds, LiveRefusal, OpenStream } from './hub.ts'
import { inPieces } from './stream.ts'
import { gapAt, listeningText } from './tail.ts'
import { eventText } from './update.ts'

/** GET /api/v1/live: the news of several subjects, as server-sent events. */
export async function streamLive(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseQuery(LIVE_QUERY, request.query)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { subjects: text, last_event_id: given } = parsed.value.value
  const subjects = parseSubjects(text)
  if (!subjects.ok) return refuse(subjects.rejection)
  return replyLive(deps, request, { subjects: subjects.value, lastId: given ?? '' })
}

/** A stream about these subjects. `lastId` is used when the request has no Last-Event-ID. */
export async function replyLive(
  deps: Deps,
  request: TenantRequest,
  { subjects, lastId }: { readonly subjects: readonly LiveSubject[]; readonly lastId: string },
): Promise<Reply> {
  const { brandId, scopes } = request.caller
  const closed = subjects.find(({ kind }) => !isOpenTo(scopes, LIVE_SUBJECTS[kind].scopes))
  if (closed !== undefined) {
    const scope = LIVE_SUBJECTS[closed.kind].scopes.join(' or ')
    return refuse({ faults: [fault('scope_missing', 'subjects', { scope })] })
  }
  const full = deps.live.refusalFor(brandId, subjects)
  if (full !== null) return refuse(rejectionOf(full, deps.live.bounds))
  for (const subject of subjects) {
    if (!(await deps.live.has(brandId, subject))) return refuse(unknownSubject(subject))
  }
  const cut = new AbortController()
  const header = request.headers['last-event-id']
  const from = parsePosition(typeof header === 'string' ? header : lastId)
  return {
    status: 200,
    body: writeLive(deps, request, { subjects, from, cut: () => cut.abort() }),
    cut: cut.signal,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
  }
}

export const LIVE_QUERY = Type.Object({
  subjects: Type.String({
    minLength: 1,
    maxLength: 2_000,
    description: `Up to ${LIVE_LIMITS.subjectsMax}, with commas between them: \`notification:<id>\`, \`campaign:<id>\`, \`journey:<id>\`, \`overview\`, \`virtual_devices\`, \`events\`.`,
  }),
  brand: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'The id of the brand, for a member in a browser, which cannot send x-brand-id here.',
    }),
  ),
  last_event_id: Type.Optional(
    Type.String({
      maxLength: 50,
      description: 'The id of the last event of an earlier stream, if it cannot be sent as Last-Event-ID.',
    }),
  ),
})

function rejectionOf(refusal: LiveRefusal, { brandStreamsMax, brandFeedsMax }: LiveBounds): Rejection {
  switch (refusal) {
    case 'busy':
    case 'stopping':
      return { faults: [fault('overloaded')] }
    case 'streams':
      return { faults: [fault('too_many_streams', null, { max: brandStreamsMax, what: 'streams' })] }
    case 'subjects':
      return {
        faults: [fault('too_many_streams', 'subjects', { max: brandFeedsMax, what: 'subjects' })],
      }
    default:
      return unreachable(refusal)
  }
}

function unknownSubject({ kind }: LiveSubject): Rejection {
  const row = LIVE_SUBJECTS[kind]
  return { faults: [fault('missing' in row ? row.missing : 'not_found', 'subjects')] }
}

type LiveOptions = {
  readonly subjects: readonly LiveSubject[]
  /** The position that the reader brings back. */
  readonly from: TailPosition | null
  readonly cut: () => void
}

/** Opened here and not by the handler: a reply that is never read (HEAD) never gets here, and would stay open. */
async function* writeLive(
  deps: Deps,
  request: TenantRequest,
  { subjects, from, cut }: LiveOptions,
): AsyncGenerator<string> {
  const open = deps.live.open(request, subjects, cut)
  if (open === null) return
  const { stream, tail, leave } = open
  // A reader that hangs up wakes the stream, which may be waiting for news.
  request.signal.addEventListener('abort', () => stream.end(), { once: true })
  try {
    const data = {
      subjects: subjects.map(({ name }) => name),
      heartbeat_seconds: LIVE_LIMITS.heartbeatMs / 1000,
    }
    yield eventText({ event: 'open', data, retryMs: deps.live.retryMs() })
    if (tail !== null) yield* beginTail(deps, request, { ...tail, stream, from })
    yield* stream.read()
  } finally {
    leave()
  }
}

type BeginTail = Pick<OpenStream, 'stream'> &
  NonNullable<OpenStream['tail']> & { readonly from: TailPosition | null }

/** Brings a reader to the position of the feed, which goes on meanwhile: its steps wait in the stream. */
async function* beginTail(
  { clock }: Deps,
  { signal }: TenantRequest,
  { source, feed, joinedAt: known, stream, from }: BeginTail,
): AsyncGenerator<string> {
  const joinedAt = known ?? (await Promise.race([source.begun, aborted(signal)]))
  if (joinedAt === undefined) return
  if (from === null) {
    yield listeningText(joinedAt, false)
    return
  }
  if (isLater(from, joinedAt)) {
    // The reader comes from a process that was a look ahead. After a whole look this one has seen the position too.
    await Promise.race([feed.nextLook(), aborted(signal)])
    const isKnown = source.place !== null && !isLater(from, source.place)
    stream.skipUpTo(isKnown ? from : null)
    if (!isKnown) yield* inPieces([gapAt(joinedAt, null)])
    yield listeningText(isKnown ? from : joinedAt, true)
    return
  }
  yield* source.catchUp({ from, upTo: joinedAt, scopes: stream.scopes, now: clock.now() })
  yield listeningText(joinedAt, true)
}
