import type { Deps } from '../deps.ts'
import { type Reply, replyText } from '../reply.ts'
import type { OpenRequest } from '../request.ts'
import type { Route } from '../route.ts'
import { html } from './html.ts'
import { buildOpenApi } from './openapi.ts'
import { OWN_ADDRESS, renderDocs } from './page.ts'
import { PAGE_HEADERS } from './style.ts'

/** The rows that describe all the others, to programs and to people. Each page is rendered for its first reader. */
export function referenceRoutes(endpoints: readonly Route[]): readonly Route[] {
  const openapi = once((): Reply => ({ status: 200, body: buildOpenApi(endpoints), isExact: true }))
  const docs = once(() => renderDocs(endpoints))
  const row = { method: 'GET', group: 'Reference', scopes: null, body: 'none', isExempt: true } as const
  return [
    {
      ...row,
      path: '/docs',
      summary: 'This page',
      replyType: HTML_TYPE,
      handler: async (_: Deps, { headers }: OpenRequest) => replyDocs(docs(), headers),
    },
    { ...row, path: '/openapi.json', summary: 'The API as OpenAPI 3.1', handler: async () => openapi() },
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

/** The page names the address at which its reader has opened it, so that its lines can be pasted as they are. */
function replyDocs(docs: string, { host, 'x-forwarded-proto': proto }: OpenRequest['headers']): Reply {
  const address = html`${proto === 'https' ? 'https' : 'http'}://${String(host)}`
  return replyText(
    docs.replace(OWN_ADDRESS, () => address.markup),
    HTML_TYPE,
    PAGE_HEADERS,
  )
}

const HTML_TYPE = 'text/html; charset=utf-8'
