import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { createServer, type TLSSocket } from 'node:tls'
import type { Http2Frame } from '../../src/providers/http2/frame.ts'
import { FrameBuffer } from '../../src/providers/http2/frame-buffer.ts'
import { FrameReader } from '../../src/providers/http2/frame-reader.ts'
import type { Http2Pool } from '../../src/providers/http2-pool.ts'
import type { PoolLimits } from '../../src/providers/pool-limits.ts'
import { makeCertificate } from '../../src/sandbox/certificate.ts'
import { poolFor } from './support.ts'

const CERTIFICATE = makeCertificate(Date.now())
export const TLS = { key: CERTIFICATE.key, cert: CERTIFICATE.cert, ALPNProtocols: ['h2'] }

type Listening = {
  listen: (port: number, host: string) => unknown
  close: () => unknown
  address: () => unknown
} & NodeJS.EventEmitter

/** A pool that trusts the server, which listens until the test ends. */
export async function openPool(
  t: TestContext,
  server: Listening,
  limits: Partial<PoolLimits> = {},
): Promise<{ pool: Http2Pool; origin: string }> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null && 'port' in address)
  assert.ok(typeof address.port === 'number')
  const [origin, byAddress] = [`https://localhost:${address.port}`, `https://127.0.0.1:${address.port}`]
  const pool = poolFor([origin, byAddress], CERTIFICATE.cert, { triesMax: 1, ...limits })
  t.after(async () => {
    await pool.close()
    server.close()
  })
  return { pool, origin }
}

type RawPeer = {
  readonly onOpen: (wire: FrameBuffer) => void
  readonly onFrame: (frame: Http2Frame, wire: FrameBuffer) => void
  readonly limits?: Partial<PoolLimits>
}

/** A peer that writes its frames byte by byte as a test tells it. */
export async function openRawPeer(t: TestContext, { onOpen, onFrame, limits = {} }: RawPeer) {
  const sockets: TLSSocket[] = []
  const server = createServer(TLS, (socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    const wire = new FrameBuffer(socket)
    onOpen(wire)
    const reader = new FrameReader((frame) => onFrame(frame, wire))
    socket.once('data', (first: Buffer) => {
      socket.on('data', (chunk: Buffer) => reader.take(chunk))
      reader.take(first.subarray(PREFACE_BYTES))
    })
  })
  const { pool, origin } = await openPool(t, server, limits)
  const send = async (body = '', host = 'localhost') => {
    const route = { origin: origin.replace('localhost', host), partition: '' }
    return pool.send({ route, path: '/', headers: {}, body })
  }
  /** Sends a request whose acceptance has a body that nobody reads. */
  const sendUnread = async () => {
    const route = { origin, partition: '' }
    return pool.send({ route, path: '/', headers: {}, body: '', isAcceptedBodyRead: false })
  }
  return { sockets, send, sendUnread }
}

/** The words that a client says before its first frame. */
const PREFACE_BYTES = 24
