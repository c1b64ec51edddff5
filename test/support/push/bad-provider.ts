import { once } from 'node:events'
import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { type Certificate, makeCertificate } from '../../../src/sandbox/certificate.ts'

/**
 * The ways of a provider on a bad day. `hang`: it takes requests and never answers. `drip`: a status, then a byte at a
 * time without end. `reset`: every request ends its connection. `answer`: all is well.
 */
export type BadDay = 'hang' | 'drip' | 'reset' | 'answer'

/** A provider made of Node's own HTTP/2 server, independent of the sandbox, on a loopback port. */
export type BadProvider = {
  readonly origin: string
  /** A sandbox with the same certificate is trusted together with this provider. */
  readonly certificate: Certificate
  /** The requests that came so far. */
  readonly taken: number
  /** The requests that have no answer yet, on connections that are still open. */
  readonly open: number
  /** Behaves like this from now on. */
  readonly set: (day: BadDay) => void
  /** Answers every open request. */
  readonly release: () => void
  readonly close: () => Promise<void>
}

export async function startBadProvider(
  first: BadDay,
  certificate = makeCertificate(Date.now()),
): Promise<BadProvider> {
  const server = createSecureServer({ ...certificate, settings: { maxConcurrentStreams: 1_000 } })
  const sockets = new Set<Socket>()
  const open = new Set<ServerHttp2Stream>()
  const state = { day: first, taken: 0 }
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('sessionError', () => undefined)
  server.on('stream', (stream: ServerHttp2Stream) => {
    state.taken += 1
    open.add(stream)
    stream.on('error', () => undefined)
    stream.on('close', () => open.delete(stream))
    stream.resume()
    behave(stream, state.day)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `https://localhost:${portOf(server)}`,
    certificate,
    get taken() {
      return state.taken
    },
    get open() {
      return open.size
    },
    set: (day) => {
      state.day = day
    },
    release: () => {
      for (const stream of open) behave(stream, 'answer')
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function behave(stream: ServerHttp2Stream, day: BadDay): void {
  switch (day) {
    case 'hang':
      return undefined
    case 'drip':
      return drip(stream)
    case 'reset':
      stream.session?.destroy()
      return undefined
    case 'answer':
      stream.respond({ ':status': 200 })
      return void stream.end()
  }
}

function drip(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 200 })
  const timer = setInterval(() => stream.write('.'), DRIP_MS)
  stream.on('close', () => clearInterval(timer))
}

const DRIP_MS = 100

function portOf(server: Http2SecureServer): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the provider is not listening')
  return address.port
}
