import { SIGN_IN } from '../../rules/sign-in.ts'
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

/** Calls a function of the library with the few headers that it may see. */
export async function askLibrary<Value>(
  team: TeamDeps,
  request: Pick<OpenRequest, 'headers' | 'network'>,
  call: LibraryCall<Value>,
): Promise<LibraryAnswer<Value>> {
  const { api, refusalCode } = await team.library()
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
