import type { Deps } from '../deps.ts'
import type { DocsFiles } from '../pages/load-docs.ts'
import { replyFile, replyForever } from '../pages/reply-file.ts'
import type { Script } from '../pages/scripts.ts'
import type { Reply, ReplyHeaders } from '../reply.ts'
import { type OpenRequest, param } from '../request.ts'
import type { OpenRoute, Route } from '../route.ts'
import { buildOpenApi } from './openapi.ts'
import { DocsSite } from './site.ts'

/** The rows that describe all the others, to programs and to people. Each page is rendered for its first reader. */
export function referenceRoutes(endpoints: readonly Route[]): readonly Route[] {
  const openapi = once((): Reply => ({ status: 200, body: buildOpenApi(endpoints), isExact: true }))
  const row = { method: 'GET', group: 'Reference', scopes: null, body: 'none', isExempt: true } as const
  return [
    { ...row, path: '/openapi.json', summary: 'The API as OpenAPI 3.1', handler: async () => openapi() },
    ...docsRoutes(endpoints),
  ]
}

/** Most processes never show these pages, and rendering them takes a tenth of the time of a start. */
function once<Value>(render: () => Value): () => Value {
  let rendered: Value | undefined
  return () => {
    rendered ??= render()
    return rendered
  }
}

function docsRoutes(endpoints: readonly Route[]): readonly OpenRoute[] {
  const sites = new WeakMap<DocsFiles, DocsSite>()
  const siteOf = ({ docs }: Deps): DocsSite => {
    const site = sites.get(docs) ?? new DocsSite(endpoints, docs)
    sites.set(docs, site)
    return site
  }
  const page = {
    method: 'GET',
    group: 'Reference',
    scopes: null,
    body: 'none',
    replyType: HTML_TYPE,
  } as const
  const at = (pathOf: (request: OpenRequest) => string) => async (deps: Deps, request: OpenRequest) =>
    replyPage(siteOf(deps), request, pathOf(request))
  return [
    { ...page, path: '/docs', summary: 'The start of the docs', handler: at(() => '/docs') },
    {
      ...page,
      path: '/docs/guides/{name}',
      summary: 'A guide',
      handler: at((request) => `/docs/guides/${param(request, 'name').toLowerCase()}`),
    },
    {
      ...page,
      path: '/docs/api/{name}',
      summary: 'The endpoints of a group',
      handler: at((request) => `/docs/api/${param(request, 'name').toLowerCase()}`),
    },
    {
      ...page,
      path: '/docs/search.json',
      summary: 'What the search of the docs finds',
      replyType: JSON_TYPE,
      handler: async (deps, request) =>
        replyFile(await siteOf(deps).index(), request, {
          'content-type': JSON_TYPE,
          'cache-control': 'no-cache',
        }),
    },
    ...ASSETS.map(
      ({ path, summary, type, file }): OpenRoute => ({
        ...page,
        path,
        summary,
        replyType: type,
        handler: async ({ docs }, request) => replyForever(file(docs), request, { 'content-type': type }),
      }),
    ),
  ]
}

type Asset = {
  readonly path: string
  readonly summary: string
  readonly type: string
  readonly file: (docs: DocsFiles) => Script
}

const JSON_TYPE = 'application/json; charset=utf-8'

const ASSETS: readonly Asset[] = [
  {
    path: '/docs/docs.{hash}.css',
    summary: 'The style of the docs',
    type: 'text/css; charset=utf-8',
    file: ({ style }) => style,
  },
  {
    path: '/docs/docs.{hash}.js',
    summary: 'The script of the docs',
    type: 'text/javascript; charset=utf-8',
    file: ({ script }) => script,
  },
  {
    path: '/docs/inter.{hash}.woff2',
    summary: 'The typeface of the docs and the demo',
    type: 'font/woff2',
    file: ({ font }) => font,
  },
]

/** The pages load files of this Beckon alone, and nothing stands in them but markup. */
const DOCS_HEADERS: ReplyHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
}

/** A page names the address at which its reader has opened it, so that its lines can be pasted as they are. */
function replyPage(site: DocsSite, request: OpenRequest, path: string): Reply {
  const { host, 'x-forwarded-proto': proto } = request.headers
  const address = `${proto === 'https' ? 'https' : 'http'}://${String(host)}`
  const page = site.page(path, address)
  if (page !== null) return replyFile(page, request, DOCS_HEADERS)
  return { status: 404, body: site.missing(), headers: DOCS_HEADERS }
}

const HTML_TYPE = 'text/html; charset=utf-8'
