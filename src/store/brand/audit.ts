import { encodeJson, type JsonObject } from '../../domain/values/json.ts'
import type { AuthoredRequest } from '../author.ts'
import type { Db } from '../db.ts'
import { type RowPage, readPage } from '../page.ts'
import type { PurgeBounds } from '../purge-aged.ts'

/** A line of the audit log. Lines of the instance have the brand 0. */
export type AuditLine = {
  readonly id: string
  readonly at: number
  readonly actor: string
  readonly action: string
  readonly subjectType: string
  readonly subjectId: string
  readonly before: JsonObject | null
  readonly after: JsonObject | null
  readonly requestId: string | null
  readonly network: string | null
}

/** The brand of lines that belong to the whole instance. */
export const INSTANCE_BRAND = 0

/** A member as the author of a change of the instance. */
export function memberAuthor(
  { id, network }: Pick<AuthoredRequest, 'id' | 'network'>,
  memberId: string,
): AuthoredRequest {
  return { id, network, caller: { brandId: INSTANCE_BRAND, actor: { type: 'member', memberId } } }
}

type AuditAction = {
  readonly brandId: number
  readonly action: string
  readonly type: string
  readonly id: string
  readonly before?: JsonObject
  readonly after?: JsonObject
}

/** Writes the line of an action that changes no row of its own, in the transaction of the action. */
export async function auditAction(tx: Db, line: AuditAction): Promise<void> {
  const { brandId, action, type, id, before, after } = line
  await tx.query('select write_audit_line($1, audit_actor(), $2, $3, $4, $5, $6)', [
    brandId,
    action,
    type,
    id,
    before === undefined ? null : encodeJson(before),
    after === undefined ? null : encodeJson(after),
  ])
}

export type AuditQuery = {
  readonly brandId: number
  readonly actor: string | null
  readonly action: string | null
  readonly subjectType: string | null
  readonly subjectId: string | null
  readonly from: number | null
  readonly to: number | null
  /** The line before the page; null for the newest page. */
  readonly before: string | null
  readonly limit: number
}

/** A page of the audit log, newest first. */
export async function listAudit(tx: Db, query: AuditQuery): Promise<RowPage<AuditLine>> {
  const { brandId, actor, action, subjectType, subjectId, from, to, before, limit } = query
  return readPage<AuditLine>(tx, {
    text: `select id, at, actor, action, subject_type as "subjectType", subject_id as "subjectId", before, after,
        request_id as "requestId", network
      from audit
      where brand_id = $1 and ($2::text is null or actor = $2) and ($3::text is null or action = $3)
        and ($4::text is null or subject_type = $4) and ($5::text is null or subject_id = $5)
        and ($6::timestamptz is null or at >= $6) and ($7::timestamptz is null or at < $7)
        and ($8::uuid is null or id < $8)
      order by id desc limit $9`,
    values: [
      brandId,
      actor,
      action,
      subjectType,
      subjectId,
      from === null ? null : new Date(from),
      to === null ? null : new Date(to),
      before,
      limit,
    ],
    limit,
    kind: 'documents',
  })
}

/** Deletes the oldest lines of each brand, and of the instance, that are older than the given number of days. */
export async function purgeAudit(
  db: Db,
  { now, rowsMax, keptDays }: PurgeBounds & { readonly keptDays: number },
): Promise<number> {
  const { count } = await db.query(
    `with old as (
       select stale.* from (select id from brands union all select ${INSTANCE_BRAND}) as owners (id)
       cross join lateral (
         select brand_id, id from audit where brand_id = owners.id and at <= $1 order by at limit $2
       ) as stale
       limit $2
     )
     delete from audit using old where audit.brand_id = old.brand_id and audit.id = old.id`,
    [new Date(now - keptDays * DAY_MS), rowsMax],
  )
  return count
}

const DAY_MS = 86_400_000
