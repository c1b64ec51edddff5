import type { Db } from '../db.ts'

/** A one-time link. Without a member it makes the first administrator. */
export type MemberLink = {
  readonly memberId: string | null
  readonly email: string | null
  readonly name: string | null
}

/** Makes a link; the links that the member had before are void. */
export async function saveLink(
  tx: Db,
  link: {
    readonly id: string
    readonly memberId: string | null
    readonly hash: Uint8Array
    readonly expiresAt: number
    readonly now: number
  },
): Promise<void> {
  await voidLinks(tx, link.memberId)
  await tx.query(
    `insert into member_links (id, member_id, token_hash, expires_at, created_at) values ($1, $2, $3, $4, $5)`,
    [link.id, link.memberId, link.hash, new Date(link.expiresAt), new Date(link.now)],
  )
}

/** Makes the links of a member void; without a member, those of the first administrator. */
export async function voidLinks(tx: Db, memberId: string | null): Promise<void> {
  await tx.query('delete from member_links where member_id is not distinct from $1', [memberId])
}

/** The live link with this hash. */
export async function findLink(
  db: Db,
  { hash, now }: { readonly hash: Uint8Array; readonly now: number },
): Promise<MemberLink | null> {
  const { rows } = await db.query<MemberLink>(
    `select l.member_id as "memberId", m.email, m.name from member_links as l
       left join members as m on m.id = l.member_id
     where l.token_hash = $1 and l.expires_at > $2`,
    [hash, new Date(now)],
  )
  return rows[0] ?? null
}

/** Takes a live link away. Of two who use it at once, one gets true. */
export async function consumeLink(
  tx: Db,
  { hash, now }: { readonly hash: Uint8Array; readonly now: number },
): Promise<boolean> {
  const { count } = await tx.query('delete from member_links where token_hash = $1 and expires_at > $2', [
    hash,
    new Date(now),
  ])
  return count === 1
}
