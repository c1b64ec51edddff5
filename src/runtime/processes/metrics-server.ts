import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { METRICS_CONTENT_TYPE, type Metrics } from '../metrics.ts'
import { explainListen, type ListenAddress } from './listen-error.ts'

type MetricsServer = {
  readonly metrics: Pick<Metrics, 'render'>
  /** Null for none. */
  readonly port: number | null
  readonly host: string
  readonly signal: AbortSignal
}

/**
 * Serves `/metrics` and `/healthz` of a process that has no API and no supervisor, until the signal aborts. Under a
 * supervisor the API serves the metrics of all processes.
 */
export async function serveMetrics({ metrics, port, host, signal }: MetricsServer): Promise<void> {
  if (cluster.isWorker || port === null) return
  const server = openServer(metrics)
  await listenAt(server, { host, port, setting: 'BECKON_METRICS_PORT' })
  signal.addEventListener('abort', () => {
    server.close()
    server.closeAllConnections()
  })
  // A process that has nothing else to do may end.
  server.unref()
}

function openServer(metrics: MetricsServer['metrics']): Server {
  const bounds = {
    maxHeaderSize: 8_192,
    headersTimeout: 5_000,
    requestTimeout: 10_000,
    keepAliveTimeout: 5_000,
  }
  let rendering: Promise<string> | null = null
  const render = async (): Promise<string> => {
    // Callers at once share one text.
    rendering ??= metrics.render().finally(() => {
      rendering = null
    })
    return rendering
  }
  const server = createServer(bounds, (request, response) => {
    request.resume()
    const path = request.url?.split('?', 1)[0] ?? ''
    if (request.method !== 'GET' && request.method !== 'HEAD') return reply(response, 405, '')
    if (path === '/healthz') return reply(response, 200, '{"success":true}\n')
    if (path !== '/metrics') return reply(response, 404, '')
    response.setHeader('content-type', METRICS_CONTENT_TYPE)
    return void render().then(
      (text) => reply(response, 200, text),
      () => reply(response, 500, ''),
    )
  })
  server.maxConnections = CONNECTIONS_MAX
  return server
}

const CONNECTIONS_MAX = 20

function reply(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status
  response.end(text)
}

async function listenAt(server: Server, address: ListenAddress): Promise<void> {
  try {
    server.listen({ host: address.host, port: address.port })
    await once(server, 'listening')
  } catch (cause) {
    // The person who starts the process can change the port, so a known reason becomes a sentence.
    throw explainListen(cause, address)
  }
}
