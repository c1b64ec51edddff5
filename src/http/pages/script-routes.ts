import { fault } from '../../domain/fault.ts'
import type { Deps } from '../deps.ts'
import { type Reply, type ReplyHeaders, refuse } from '../reply.ts'
import type { OpenRequest } from '../request.ts'
import type { OpenRoute, Route } from '../route.ts'
import { replyBytes } from './reply-file.ts'
import { SCRIPT_NAMES, type ScriptName } from './scripts.ts'

/** GET /sdk.js and its like: asked for again every few minutes, so that a site has the newest by itself. */
async function serveEntry({ scripts }: Deps, request: OpenRequest, name: ScriptName): Promise<Reply> {
  const script = scripts[name]
  const etag = `"${script.hash}"`
  const headers = { etag, 'cache-control': 'public, max-age=300, stale-while-revalidate=86400' }
  if (request.headers['if-none-match'] === etag) return { status: 304, body: null, headers }
  return replyBytes(script, request, { ...SHARED, ...typeOf(name), ...headers })
}

/** GET /sdk.<hash>.js: one text for ever. The hash of an older version leads to the entry, so old pages go on. */
async function serveHashed({ scripts }: Deps, request: OpenRequest, name: ScriptName): Promise<Reply> {
  const script = scripts[name]
  const { hash = '' } = request.params
  if (!HASH.test(hash)) return refuse({ faults: [fault('not_found')] })
  if (hash !== script.hash) {
    return { status: 302, body: null, headers: { ...SHARED, location: `/${name}` } }
  }
  return replyBytes(script, request, { ...SHARED, ...typeOf(name), 'cache-control': FOREVER })
}

const FOREVER = 'public, max-age=31536000, immutable'
const HASH = /^[\da-f]{16}$/

/** Any site may load them; they hold nothing that is anybody's. */
const SHARED: ReplyHeaders = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
}

function typeOf(name: ScriptName): ReplyHeaders {
  return {
    'content-type': name.endsWith('.ts') ? 'text/plain; charset=utf-8' : 'text/javascript; charset=utf-8',
  }
}

const ROW = { method: 'GET', group: 'Web', scopes: null, body: 'none' } as const
const SUMMARIES: Readonly<Record<ScriptName, string>> = {
  'sdk.js': 'The web SDK, as a script',
  'sdk.mjs': 'The web SDK, as a module',
  'sdk.d.ts': 'The types of the web SDK',
  'preferences.mjs': 'The part of the web SDK for preferences, loaded on demand',
  'sw.js': 'The service worker, for importScripts',
}

export const SCRIPT_ROUTES: readonly Route[] = SCRIPT_NAMES.flatMap((name): readonly OpenRoute[] => {
  const replyType = name.endsWith('.ts') ? 'text/plain' : 'text/javascript'
  const summary = SUMMARIES[name]
  const [stem = '', ...rest] = name.split('.')
  return [
    {
      ...ROW,
      path: `/${name}`,
      summary,
      replyType,
      handler: async (deps, request) => serveEntry(deps, request, name),
    },
    {
      ...ROW,
      path: `/${stem}.{hash}.${rest.join('.')}`,
      summary: `${summary}, one fixed version`,
      replyType,
      handler: async (deps, request) => serveHashed(deps, request, name),
    },
  ]
})
