import { once } from 'node:events'
import { createServer, request as forward } from 'node:http'
import type { TestContext } from 'node:test'
import { endWith } from './beckon.ts'

/** What happens to a request: it goes through, its answer is lost, or it is answered in the server's place. */
export type Mishap = 'none' | 'answer lost' | { readonly status: number; readonly retryAfter: string }

export type RoughWay = {
  readonly url: string
  /** Method, path and Idempotency-Key of every request that came, in order. */
  readonly seen: readonly { readonly endpoint: string; readonly idempotencyKey: string | undefined }[]
}

/** A proxy before a server. The next requests fare as scripted, all others well. */
export async function startRoughWay(
  context: TestContext,
  port: number,
  script: readonly Mishap[] = [],
): Promise<RoughWay> {
  const seen: RoughWay['seen'][number][] = []
  const proxy = createServer((request, response) => {
    const mishap = script[seen.length] ?? 'none'
    const { method, url: path, headers } = request
    seen.push({ endpoint: `${method} ${path}`, idempotencyKey: headers['idempotency-key']?.toString() })
    if (typeof mishap === 'object') {
      response.writeHead(mishap.status, { 'retry-after': mishap.retryAfter }).end()
      return
    }
    const onward = forward({ port, host: '127.0.0.1', method, path, headers }, (answer) => {
      if (mishap === 'answer lost') request.socket.destroy()
      else answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers))
    })
    request.pipe(onward)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  endWith(context, async () => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const address = proxy.address()
  const placed = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${placed}`, seen }
}
