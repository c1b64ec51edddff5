import type { Db } from '../db.ts'

/** A kind of messages that a person can opt out of. The topic `transactional` has no row. */
export type Topic = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly archivedAt: number | null
}

export type TopicRef = { readonly brandId: number; readonly name: string }

type TopicDraft = TopicRef & {
  readonly title: string
  readonly description: string
  readonly now: number
}

/** Null when the brand has a topic of this name, archived or not. */
export async function createTopic(tx: Db, draft: TopicDraft): Promise<Topic | null> {
  const { brandId, name, title, description, now } = draft
  const { rows } = await tx.query<Topic>(
    `insert into topics (brand_id, name, title, description, created_at, updated_at) values ($1, $2, $3, $4, $5, $5)
     on conflict do nothing returning ${COLUMNS}`,
    [brandId, name, title, description, new Date(now)],
  )
  return rows[0] ?? null
}

/** How many topics a brand has. The lock lets one caller at a time count and add. */
export async function lockTopicCount(tx: Db, brandId: number): Promise<number> {
  await tx.query('select from brands where id = $1 for no key update', [brandId])
  const { rows } = await tx.query<{ count: number }>(
    'select count(*)::integer as count from topics where brand_id = $1',
    [brandId],
  )
  return rows[0]?.count ?? 0
}

/** The topics of a brand by name, either the active or the archived ones. There are few. */
export async function listTopics(
  db: Db,
  { brandId, isArchived }: { readonly brandId: number; readonly isArchived: boolean },
): Promise<readonly Topic[]> {
  const { rows } = await db.query<Topic>(
    `select ${COLUMNS} from topics where brand_id = $1 and (archived_at is not null) = $2 order by name`,
    [brandId, isArchived],
  )
  return rows
}

export type TopicChange = {
  readonly title: string | null
  readonly description: string | null
  readonly now: number
}

/** Changes the fields that are not null. Null when there is no such topic. */
export async function changeTopic(
  tx: Db,
  { brandId, name }: TopicRef,
  { title, description, now }: TopicChange,
): Promise<Topic | null> {
  const { rows } = await tx.query<Topic>(
    `update topics set title = coalesce($3, title), description = coalesce($4, description), updated_at = $5
     where brand_id = $1 and name = $2 returning ${COLUMNS}`,
    [brandId, name, title, description, new Date(now)],
  )
  return rows[0] ?? null
}

/** Archives a topic: it takes no new notifications. A second call keeps the time of the first. */
export async function archiveTopic(
  tx: Db,
  { brandId, name, now }: TopicRef & { readonly now: number },
): Promise<Topic | null> {
  const { rows } = await tx.query<Topic>(
    `update topics set archived_at = coalesce(archived_at, $3),
       updated_at = case when archived_at is null then $3 else updated_at end
     where brand_id = $1 and name = $2 returning ${COLUMNS}`,
    [brandId, name, new Date(now)],
  )
  return rows[0] ?? null
}

/** The names, of those given, that are no active topic of the brand. */
export async function findUnknownTopics(
  db: Db,
  brandId: number,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set()
  const { rows } = await db.query<{ name: string }>(
    `select name from unnest($2::text[]) as wanted (name)
     where not exists (
       select from topics as t where t.brand_id = $1 and t.name = wanted.name and t.archived_at is null)`,
    [brandId, names],
  )
  return new Set(rows.map(({ name }) => name))
}

const COLUMNS = `name, title, description, created_at as "createdAt", updated_at as "updatedAt",
  archived_at as "archivedAt"`
