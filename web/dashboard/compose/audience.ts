import type { CampaignAudience } from '../../client/api/documents.ts'
import type { Json } from '../../client/json.ts'

export type AudienceKind = 'everyone' | 'segment' | 'tag' | 'users'

export type Audience = {
  /** `kept`: a filter or an exception that this page cannot show, so it leaves it alone. */
  readonly kind: AudienceKind | 'kept'
  readonly segmentId: string
  readonly tag: string
  readonly users: readonly string[]
  /** The length of a stored list of people: the API does not give the list back. */
  readonly usersStored: number
}

export const EVERYONE: Audience = { kind: 'everyone', segmentId: '', tag: '', users: [], usersStored: 0 }

/** The stored audience as the page edits it. */
export function readAudience(stored: Readonly<Record<string, Json>>): Audience {
  const { everyone, segment_id: segmentId, tag, users } = stored
  const keys = Object.keys(stored)
  if (keys.length !== 1) return { ...EVERYONE, kind: 'kept' }
  if (everyone === true) return EVERYONE
  if (typeof segmentId === 'string' || typeof segmentId === 'number' || typeof segmentId === 'bigint') {
    return { ...EVERYONE, kind: 'segment', segmentId: String(segmentId) }
  }
  if (typeof tag === 'string') return { ...EVERYONE, kind: 'tag', tag }
  if (users !== undefined)
    return { ...EVERYONE, kind: 'users', usersStored: Number(Object(users)['listed'] ?? 0) }
  return { ...EVERYONE, kind: 'kept' }
}

/** The audience in a call; undefined leaves the stored one as it is. */
export function writeAudience({
  kind,
  segmentId,
  tag,
  users,
  usersStored,
}: Audience): CampaignAudience | undefined {
  if (kind === 'kept' || (kind === 'users' && users.length === 0 && usersStored > 0)) return undefined
  if (kind === 'segment' && segmentId !== '') return { segment_id: segmentId }
  if (kind === 'tag' && tag !== '') return { tag }
  if (kind === 'users') return { users }
  return { everyone: true }
}

/** Whether the choice is finished: a segment without a name must not become everyone. */
export function isAudienceChosen({ kind, segmentId, tag, users, usersStored }: Audience): boolean {
  if (kind === 'segment') return segmentId !== ''
  if (kind === 'tag') return tag !== ''
  if (kind === 'users') return users.length > 0 || usersStored > 0
  return true
}
