import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import type { Certificate } from '../../../src/sandbox/certificate.ts'
import { readFields, readVarint, varint, writeBytes, writeInteger } from './protobuf.ts'

/** The frames of MCS, Google's Mobile Connection Server (Chromium: google_apis/gcm/base/mcs_util.h). */
const TAG = { heartbeat: 0, heartbeatAck: 1, login: 2, loginReply: 3, iq: 7, data: 8 } as const
const VERSION = 41
/** Extension of an Iq stanza that lists the ids of stanzas that arrived. */
const SELECTIVE_ACK = 12n

/** The connection that a Chromium holds open to get its messages by. Unconfirmed ones are brought at every login. */
export class McsServer {
  readonly #server: Server
  readonly #browsers = new Set<TLSSocket>()
  readonly #sockets = new Set<TLSSocket>()
  readonly #unconfirmed = new Map<string, Buffer>()

  constructor(certificate: Certificate) {
    this.#server = createServer(certificate, (socket) => this.#connect(socket))
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  get port(): number {
    return portOf(this.#server.address())
  }

  /** Brings a stanza to the browser, now or when it connects. */
  deliver(persistentId: string, stanza: Buffer): void {
    this.#unconfirmed.set(persistentId, stanza)
    for (const browser of this.#browsers) send(browser, TAG.data, stanza)
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #connect(socket: TLSSocket): void {
    let rest = Buffer.alloc(0)
    let isGreeted = false
    this.#sockets.add(socket)
    // Chromium drops its first connection right after the login and comes back.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.#sockets.delete(socket)
      this.#browsers.delete(socket)
    })
    socket.on('data', (chunk: Buffer) => {
      if (!isGreeted) socket.write(Buffer.of(VERSION))
      const greeting = isGreeted ? 0 : 1
      isGreeted = true
      rest = Buffer.concat([rest, chunk.subarray(greeting)])
      for (let frame = readFrame(rest); frame !== null; frame = readFrame(rest)) {
        rest = rest.subarray(frame.end)
        this.#take(socket, frame)
      }
    })
  }

  #take(socket: TLSSocket, { tag, message }: Frame): void {
    if (tag === TAG.heartbeat) send(socket, TAG.heartbeatAck, Buffer.alloc(0))
    if (tag === TAG.iq) for (const id of confirmedIds(message)) this.#unconfirmed.delete(id)
    if (tag !== TAG.login) return
    send(socket, TAG.loginReply, Buffer.concat([writeBytes(1, 'login'), writeInteger(8, Date.now())]))
    this.#browsers.add(socket)
    for (const stanza of this.#unconfirmed.values()) send(socket, TAG.data, stanza)
  }
}

export function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('not listening')
  return address.port
}

type Frame = { readonly tag: number; readonly message: Buffer; readonly end: number }

function send(socket: TLSSocket, tag: number, message: Buffer): void {
  socket.write(Buffer.concat([Buffer.of(tag), varint(message.length), message]))
}

/** Null until a whole frame is there: a tag, a length, a message. */
function readFrame(bytes: Buffer): Frame | null {
  const length = readVarint(bytes, 1)
  if (length === null) return null
  const end = length.end + Number(length.value)
  return end > bytes.length
    ? null
    : { tag: bytes.readUInt8(0), message: bytes.subarray(length.end, end), end }
}

function confirmedIds(iq: Buffer): readonly string[] {
  return messagesIn(iq, 7)
    .filter((extension) =>
      readFields(extension).some(({ field, value }) => field === 1 && value === SELECTIVE_ACK),
    )
    .flatMap((extension) => messagesIn(extension, 2))
    .flatMap((acks) => messagesIn(acks, 1))
    .map(String)
}

function messagesIn(message: Buffer, wanted: number): readonly Buffer[] {
  return readFields(message)
    .filter(({ field }) => field === wanted)
    .map(({ value }) => value)
    .filter((value) => typeof value !== 'bigint')
}
