import { INSTANCE_BRAND } from '../../store/brand/audit.ts'
import { replyAuditExport, replyAuditLines } from '../brand/audit.ts'
import type { Deps } from '../deps.ts'
import type { Reply } from '../reply.ts'
import type { MemberRequest } from '../team/member-handler.ts'

/** GET /api/v1/instance/audit */
export async function listInstanceAudit(deps: Deps, { query }: MemberRequest): Promise<Reply> {
  return replyAuditLines(deps, { brandId: INSTANCE_BRAND, query })
}

/** GET /api/v1/instance/audit/export */
export async function exportInstanceAudit(deps: Deps, { query, signal }: MemberRequest): Promise<Reply> {
  return replyAuditExport(deps, { brandId: INSTANCE_BRAND, query, signal })
}
