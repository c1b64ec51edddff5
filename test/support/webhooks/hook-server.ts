import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'

export type Arrived = { readonly headers: IncomingHttpHeaders; readonly body: string; readonly path: string }

export type HookServer = {
  readonly host: string
  readonly url: string
  readonly arrived: readonly Arrived[]
  /** How many callers are being answered at this moment. */
  readonly open: () => number
  /** How it answers from now on; at first with 204. */
  readonly answer: (how: Answering) => void
  readonly close: () => Promise<void>
}

export type Answering = (response: ServerResponse, arrived: Arrived) => void

/** Somebody's server on loopback that is told of what happens, and can be told to misbehave. */
export async function startHookServer(): Promise<HookServer> {
  const arrived: Arrived[] = []
  let open = 0
  let answering: Answering = thank
  const server = createServer((request, response) => {
    open += 1
    response.on('close', () => {
      open -= 1
    })
    void take(request).then((one) => {
      arrived.push(one)
      return answering(response, one)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}/hook`,
    arrived,
    open: () => open,
    answer: (how) => {
      answering = how
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const thank: Answering = (response) => {
  response.writeHead(204).end()
}

async function take(request: IncomingMessage): Promise<Arrived> {
  const parts: Buffer[] = []
  for await (const part of request) if (Buffer.isBuffer(part)) parts.push(part)
  return { headers: request.headers, body: Buffer.concat(parts).toString(), path: request.url ?? '' }
}
