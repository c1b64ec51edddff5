import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type Call, readBody } from './call.ts'

/** HTTP/1.1 on the same port, for web push senders without HTTP/2. This server gets its sockets from the TLS server. */
export function makeHttp1Server(onCall: (call: Call) => void): Server {
  return createServer((request, response) => {
    readBody(request, (body, bytes) => onCall({ ...callOf(request, response), body, bytes }))
  })
}

function callOf(request: IncomingMessage, response: ServerResponse): Omit<Call, 'body' | 'bytes'> {
  const drop = (): void => void request.socket.destroy()
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    rawHeaders: request.rawHeaders,
    // HTTP/1.1 has no GOAWAY: the connection is closed after its answer.
    connection: { goaway: () => response.setHeader('connection', 'close') },
    begin: () => !request.socket.destroyed,
    isGone: () => request.socket.destroyed,
    open: (status, headers) => response.writeHead(status, headers),
    refuse: drop,
    reset: drop,
    drop,
  }
}
