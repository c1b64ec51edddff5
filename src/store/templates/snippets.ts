import { SNIPPET_LIMITS } from '../../rules/templates.ts'
import { lockOfBrand } from '../brand/lock.ts'
import type { Db } from '../db.ts'
import { type RowPage, readPage } from '../page.ts'

/** A piece of text that several templates and pushes share. */
export type StoredSnippet = {
  readonly name: string
  readonly version: number
  readonly text: string
  /** The snippets that its text renders itself. */
  readonly renders: readonly string[]
  readonly createdAt: number
  readonly updatedAt: number
}

export type SnippetRef = { readonly brandId: number; readonly name: string }

/** The lock that a change of a snippet takes before it reads which snippets render which. */
export async function lockSnippets(tx: Db, brandId: number): Promise<void> {
  await lockOfBrand(tx, brandId, 'snippets of templates')
}

type SnippetDraft = SnippetRef & Pick<StoredSnippet, 'text' | 'renders'> & { readonly now: number }

/** Null when the name is taken. */
export async function createSnippet(tx: Db, draft: SnippetDraft): Promise<StoredSnippet | null> {
  const { brandId, name, text, renders, now } = draft
  const { rows } = await tx.query<StoredSnippet>(
    `insert into snippets (brand_id, name, text, renders, created_at, updated_at) values ($1, $2, $3, $4, $5, $5)
     on conflict do nothing returning ${COLUMNS}`,
    [brandId, name, text, renders, new Date(now)],
  )
  return rows[0] ?? null
}

export async function changeSnippet(tx: Db, draft: SnippetDraft): Promise<StoredSnippet | null> {
  const { brandId, name, text, renders, now } = draft
  const { rows } = await tx.query<StoredSnippet>(
    `update snippets set text = $3, renders = $4, version = version + 1, updated_at = $5
     where brand_id = $1 and name = $2 returning ${COLUMNS}`,
    [brandId, name, text, renders, new Date(now)],
  )
  return rows[0] ?? null
}

export async function deleteSnippet(tx: Db, { brandId, name }: SnippetRef): Promise<void> {
  await tx.query('delete from snippets where brand_id = $1 and name = $2', [brandId, name])
}

export async function loadSnippet(db: Db, { brandId, name }: SnippetRef): Promise<StoredSnippet | null> {
  const { rows } = await db.query<StoredSnippet>(
    `select ${COLUMNS} from snippets where brand_id = $1 and name = $2`,
    [brandId, name],
  )
  return rows[0] ?? null
}

export async function countSnippets(db: Db, brandId: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::integer as count from snippets where brand_id = $1',
    [brandId],
  )
  return rows[0]?.count ?? 0
}

type SnippetPage = {
  readonly brandId: number
  readonly after: string | null
  readonly limit: number
  /** A part of the name or of the text; null for any. */
  readonly text: string | null
  /** A snippet that the text renders; null for any. */
  readonly renders: string | null
}

/** A page of a brand's snippets by name. */
export async function listSnippets(db: Db, page: SnippetPage): Promise<RowPage<StoredSnippet>> {
  return readPage(db, {
    text: `select ${COLUMNS} from snippets where brand_id = $1 and ($2::text is null or name > $2)
       and ($3::text is null or strpos(lower(name), lower($3)) > 0 or strpos(lower(text), lower($3)) > 0)
       and ($4::text is null or $4 = any(renders))
     order by name limit $5`,
    values: [page.brandId, page.after, page.text, page.renders, page.limit],
    limit: page.limit,
    kind: 'rows',
  })
}

/** The texts of snippets and of those that they render, as deep as snippets may be nested. */
export async function loadSnippetTexts(
  db: Db,
  brandId: number,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map()
  const { rows } = await db.query<Pick<StoredSnippet, 'name' | 'text'>>(
    `with recursive wanted (name, depth) as (
       select unnest($2::text[]), 1
       union
       select inner_name, wanted.depth + 1 from wanted
       join snippets as s on s.brand_id = $1 and s.name = wanted.name
       cross join lateral unnest(s.renders) as inner_name
       where wanted.depth < $3
     )
     select s.name, s.text from snippets as s
     where s.brand_id = $1 and s.name in (select name from wanted)`,
    [brandId, names, SNIPPET_LIMITS.depthMax],
  )
  return new Map(rows.map(({ name, text }) => [name, text]))
}

/** The texts that render a snippet: other snippets, and the newest versions of templates that are not archived. */
export type SnippetUsers = { readonly snippets: readonly string[]; readonly templateIds: readonly bigint[] }

export async function findSnippetUsers(db: Db, { brandId, name }: SnippetRef): Promise<SnippetUsers> {
  const snippets = await db.query<{ name: string }>(
    'select name from snippets where brand_id = $1 and $2 = any(renders) and name <> $2 order by name limit 10',
    [brandId, name],
  )
  const templates = await db.query<{ id: bigint }>(
    `select t.id from templates as t
     join template_versions as v on v.brand_id = t.brand_id and v.template_id = t.id and v.version = t.version
     where t.brand_id = $1 and t.archived_at is null and $2 = any(v.snippets) order by t.id limit 10`,
    [brandId, name],
  )
  return { snippets: snippets.rows.map((row) => row.name), templateIds: templates.rows.map(({ id }) => id) }
}

const COLUMNS = `name, version, text, renders, created_at as "createdAt", updated_at as "updatedAt"`
