import { once } from 'node:events'
import { createServer } from 'node:http'
import type { TestContext } from 'node:test'
import { endWith } from '../processes/beckon.ts'
import { portOf } from './mcs.ts'

export type Site = {
  /** A path's content type and text. */
  readonly pages: Readonly<Record<string, readonly [type: string, text: string]>>
  /** Every other path, as HTML; null is never answered. */
  readonly page: (path: string) => string | null
}

/** Somebody's website on localhost, which browsers trust like https. Gives its origin. */
export async function startSite(context: TestContext, { pages, page }: Site): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const [type, text] = pages[pathname] ?? ['text/html', page(pathname)]
    if (text === null) return
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  endWith(context, async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://localhost:${portOf(server.address())}`
}
