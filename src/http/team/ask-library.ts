import { SIGN_IN } from '../../rules/sign-in.ts'
import type { SignInRequest } from '../../store/author.ts'
import { memberAuthor } from '../../store/brand/audit.ts'
import type { SessionFacts } from '../../store/team/sessions.ts'
import type { OpenRequest } from '../request.ts'
import type { AuthLibrary } from './auth-library.ts'
import type { TeamDeps } from './team-deps.ts'

/** The answer of the library: a value with the cookies to set, or the code of its refusal. */
export type LibraryAnswer<Value> =
  | { readonly ok: true; readonly value: Value; readonly cookies: readonly string[] }
  | { readonly ok: false; readonly code: string }

type LibraryCall<Value> = (
  api: AuthLibrary['api'],
  given: { readonly headers: Headers; readonly returnHeaders: true },
) => Promise<{ readonly headers: Headers | null; readonly response: Value }>

/** A request to the sign-in, with its member where one is signed in. */
type LibraryRequest = Pick<OpenRequest, 'id' | 'headers' | 'network'> & {
  readonly member?: Pick<SessionFacts, 'memberId'>
}

/** Calls a function of the library with the few headers that it may see. */
export async function askLibrary<Value>(
  team: TeamDeps,
  request: LibraryRequest,
  call: LibraryCall<Value>,
): Promise<LibraryAnswer<Value>> {
  const { api, refusalCode } = await team.library(authorOf(request))
  try {
    const { headers: set, response } = await call(api, { headers: headersFor(request), returnHeaders: true })
    return { ok: true, value: response, cookies: set?.getSetCookie() ?? [] }
  } catch (cause) {
    // The library throws its refusals; only an error is one for us.
    const code = refusalCode(cause)
    if (code === null) throw cause
    return { ok: false, code }
  }
}

/** The author of what the library writes, for the audit log. */
function authorOf({ id, network, member }: LibraryRequest): SignInRequest {
  return member === undefined ? { id, network } : memberAuthor({ id, network }, member.memberId)
}

/** The headers of a request that the library may see. */
export function headersFor({ headers, network }: Pick<OpenRequest, 'headers' | 'network'>): Headers {
  const given = new Headers({ [SIGN_IN.networkHeader]: network })
  for (const name of ['cookie', 'user-agent', 'origin']) {
    const value = headers[name]
    if (typeof value === 'string') given.set(name, value.slice(0, HEADER_CHARS_MAX))
  }
  return given
}

const HEADER_CHARS_MAX = 4_096
