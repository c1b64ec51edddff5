import type { Deps } from '../deps.ts'
import { type Reply, refuse, replySuccess } from '../reply.ts'
import type { OpenRequest } from '../request.ts'
import { headersFor } from './ask-library.ts'
import { checkOrigin } from './session-cookie.ts'
import { refuseCode } from './sign-in.ts'
import type { OidcLibrary } from './team-deps.ts'

/** POST /auth/sign-in/oidc: the address of the identity provider, where the page sends the browser. */
export async function offerOidc({ team }: Deps, request: OpenRequest): Promise<Reply> {
  const origin = checkOrigin(team, request)
  if (!origin.ok) return refuse(origin.rejection)
  const { oidc } = team
  if (oidc === null) return refuseCode('oidc_off')
  const body = { provider: PROVIDER, callbackURL: '/', errorCallbackURL: '/', disableRedirect: true }
  return inTime(async () =>
    oidc(request, async ({ api, refusalCode }) => {
      try {
        const headers = headersFor(request)
        const { headers: set, response } = await api.signInSocial({ body, headers, returnHeaders: true })
        return { ...replySuccess({ url: response.url }), cookies: set.getSetCookie() }
      } catch (cause) {
        // Without its addresses and keys the library knows no such provider.
        if (refusalCode(cause) === null) throw cause
        return refuseCode('oidc_away')
      }
    }),
  )
}

/**
 * GET /auth/callback/oidc: the browser comes back from the identity provider. The cookie of the first step and its state
 * show that it is the same browser; the header Origin cannot, since another site sent it.
 */
export async function finishOidc({ team }: Deps, request: OpenRequest): Promise<Reply> {
  const { oidc } = team
  if (oidc === null) return refuseCode('oidc_off')
  const query = Object.fromEntries(
    CALLBACK_FIELDS.map((name) => [name, request.query.get(name)?.slice(0, FIELD_CHARS_MAX)]),
  )
  return inTime(async () => {
    const callback = { query, headers: headersFor(request) }
    const response = await oidc(request, async (library) => callBack(library, callback))
    const isSignedIn = response.headers.get('location') === '/'
    if (!isSignedIn) return refuseCode('oidc_refused')
    return { status: 303, body: null, headers: { location: '/' }, cookies: response.headers.getSetCookie() }
  })
}

const PROVIDER = 'oidc'
const CALLBACK_FIELDS = ['code', 'state', 'error', 'iss']
const FIELD_CHARS_MAX = 4_096

type Callback = { readonly query: Readonly<Record<string, string | undefined>>; readonly headers: Headers }

async function callBack({ api }: OidcLibrary, { query, headers }: Callback): Promise<Response> {
  const params = { id: PROVIDER }
  return api.callbackOAuth({ method: 'GET', params, query, headers, asResponse: true })
}

/** The provider may take requests and never answer them. */
async function inTime(work: () => Promise<Reply>): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<Reply>()
  const timer = setTimeout(() => resolve(refuseCode('oidc_away')), ANSWER_MS)
  try {
    return await Promise.race([work(), promise])
  } finally {
    clearTimeout(timer)
  }
}

const ANSWER_MS = 15_000
