import { fault } from '../../domain/fault.ts'
import { strangerScope } from '../../domain/push/sample.ts'
import { inlineSnippets } from '../../domain/push/snippets.ts'
import { compileTemplate, snippetTagsIn } from '../../domain/push/template.ts'
import { accept, type Rejection, type Result, reject } from '../../domain/result.ts'
import { SNIPPET_LIMITS, SNIPPET_NAME } from '../../rules/templates.ts'
import type { Db } from '../../store/db.ts'
import {
  changeSnippet,
  countSnippets,
  createSnippet,
  deleteSnippet,
  findSnippetUsers,
  listSnippets,
  loadSnippet,
  loadSnippetTexts,
  lockSnippets,
  type SnippetRef,
} from '../../store/templates/snippets.ts'
import type { Deps } from '../deps.ts'
import { replyOnce } from '../idempotency.ts'
import { nextCursor, PAGE_FIELDS, parseList } from '../lists/page.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import { param, type TenantRequest } from '../request.ts'
import { parseQuery, Type } from '../schema/schema.ts'
import { parseSnippetBody, SNIPPET_RULES } from './body.ts'
import { renderSnippet } from './view.ts'

/** POST /api/v1/snippets */
export async function createOneSnippet(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseSnippetBody(SNIPPET_RULES.create, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { name, text, warnings } = parsed.value
  if (name === null) throw new Error('a snippet was accepted without a name')
  const { brandId } = request.caller
  return replyOnce(deps, request, async (tx) => {
    await lockSnippets(tx, brandId)
    const { snippetsMax } = SNIPPET_LIMITS
    if ((await countSnippets(tx, brandId)) >= snippetsMax) {
      const words = { max: snippetsMax, what: 'snippets', remedy: 'Delete one first.' }
      return refuse({ faults: [fault('template_limit', null, words)] })
    }
    const renders = await checkSnippet(tx, { brandId, name }, text)
    if (!renders.ok) return refuse(renders.rejection)
    const now = deps.clock.now()
    const snippet = await createSnippet(tx, { brandId, name, text, renders: renders.value, now })
    if (snippet === null) return refuse({ faults: [fault('snippet_exists', 'name')] })
    return replySuccess({ snippet: renderSnippet(snippet) }, { warnings })
  })
}

/** GET /api/v1/snippets */
export async function listAllSnippets({ database }: Deps, { caller, query }: TenantRequest): Promise<Reply> {
  const parsed = parseList(parseQuery(SNIPPET_QUERY, query), (name) =>
    SNIPPET_NAME.test(name) ? name : null,
  )
  if (!parsed.ok) return refuse(parsed.rejection)
  const { value, after, limit, warnings } = parsed.value
  const { brandId } = caller
  const { text = null, renders = null } = value
  const wanted = { brandId, after, limit, text, renders }
  const page = await database.asBrand(brandId, async (tx) => listSnippets(tx, wanted))
  const next = nextCursor(page, ({ name }) => name)
  const fields = { snippets: page.rows.map(renderSnippet), next_cursor: next }
  return replySuccess(fields, { processed: page.rows.length, warnings })
}

/** GET /api/v1/snippets/{name} */
export async function readSnippet({ database }: Deps, request: TenantRequest): Promise<Reply> {
  const ref = snippetRef(request)
  const snippet = await database.asBrand(ref.brandId, async (tx) => loadSnippet(tx, ref))
  return snippet === null ? refuse(UNKNOWN) : replySuccess({ snippet: renderSnippet(snippet) })
}

/** PATCH /api/v1/snippets/{name}: messages that are accepted from now on have the new text. */
export async function changeOneSnippet(deps: Deps, request: TenantRequest): Promise<Reply> {
  const parsed = parseSnippetBody(SNIPPET_RULES.change, request.body)
  if (!parsed.ok) return refuse(parsed.rejection)
  const { text, version: given, warnings } = parsed.value
  const ref = snippetRef(request)
  return deps.database.asCaller(request, async (tx) => {
    await lockSnippets(tx, ref.brandId)
    const current = await loadSnippet(tx, ref)
    if (current === null) return refuse(UNKNOWN)
    const { version } = current
    if (given !== version) {
      return refuse({ faults: [fault('version_stale', 'version', { version, given: given ?? 'none' })] })
    }
    const renders = await checkSnippet(tx, ref, text)
    if (!renders.ok) return refuse(renders.rejection)
    const changed = await changeSnippet(tx, { ...ref, text, renders: renders.value, now: deps.clock.now() })
    if (changed === null) return refuse(UNKNOWN)
    return replySuccess({ snippet: renderSnippet(changed) }, { warnings })
  })
}

/** DELETE /api/v1/snippets/{name}: not while a snippet or a template renders it. */
export async function deleteOneSnippet({ database }: Deps, request: TenantRequest): Promise<Reply> {
  const ref = snippetRef(request)
  return database.asCaller(request, async (tx) => {
    await lockSnippets(tx, ref.brandId)
    if ((await loadSnippet(tx, ref)) === null) return refuse(UNKNOWN)
    const { snippets, templateIds } = await findSnippetUsers(tx, ref)
    const users = [
      ...snippets.map((name) => `snippet ${name}`),
      ...templateIds.map((id) => `template ${id}`),
    ].join(', ')
    if (users !== '') return refuse({ faults: [fault('snippet_in_use', 'name', { users })] })
    await deleteSnippet(tx, ref)
    return replySuccess({})
  })
}

export const SNIPPET_QUERY = Type.Object({
  ...PAGE_FIELDS,
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: SNIPPET_LIMITS.nameCharsMax,
      description: 'A part of the name or of the text, in any case.',
    }),
  ),
  renders: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: SNIPPET_LIMITS.nameCharsMax,
      description: 'Only those that render this snippet themselves.',
    }),
  ),
})

/** The names that a new text renders, if the text is good together with them. */
async function checkSnippet(
  tx: Db,
  { brandId, name }: SnippetRef,
  text: string,
): Promise<Result<readonly string[]>> {
  const tags = snippetTagsIn('text', text)
  if (!tags.ok) return tags
  const renders = [...new Set(tags.value.map((tag) => tag.name))]
  const others = await loadSnippetTexts(tx, brandId, renders)
  // The snippet itself with its new text, so that a way back to it is found.
  const snippets = new Map([...others, [name, text]])
  const whole = inlineSnippets('text', `{% render "${name}" %}`, snippets)
  if (!whole.ok) return whole
  const compiled = compileTemplate('text', whole.value)
  if (!compiled.ok) return compiled
  return compiled.value.isTooCostly(strangerScope(0))
    ? reject(fault('template_too_costly', 'text'))
    : accept(renders)
}

/** A name that cannot be one is not found, like any other. */
function snippetRef(request: TenantRequest): SnippetRef {
  const name = param(request, 'name')
  return { brandId: request.caller.brandId, name: SNIPPET_NAME.test(name) ? name : '' }
}

const UNKNOWN: Rejection = { faults: [fault('snippet_not_found', 'name')] }
