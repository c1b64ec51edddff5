import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { endWith } from '../processes/beckon.ts'

/** Sees bytes on their way to the server, and decides whether they go on. */
export type Watcher = (bytes: Buffer, connection: ProxiedConnection) => 'pass' | 'drop'

export type ProxiedConnection = {
  /** Resets both sides, as a machine does that lost its state. */
  readonly cut: () => void
  /** Resets the side of the client only; the server goes on, and its answers are lost. */
  readonly cutClient: () => void
  /** Sends bytes to the server, late. */
  readonly forward: (bytes: Buffer) => void
}

/** A TCP proxy on loopback in front of a PostgreSQL, for networks that misbehave. */
export class TcpProxy {
  readonly #server: Server
  #target: number
  readonly #sockets = new Set<Socket>()
  #isSilent = false
  #moves = 0
  #watcher: Watcher = () => 'pass'

  constructor(target: number) {
    this.#target = target
    this.#server = createServer((socket) => this.#pass(socket))
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  get address(): string {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen')
    return `127.0.0.1:${address.port}`
  }

  /** Connections stay open, and nothing passes any more. */
  fallSilent(): void {
    this.#isSilent = true
  }

  /** Bytes pass again. Those of before are lost. */
  speakAgain(): void {
    this.#isSilent = false
  }

  /** New connections lead to another server, as with a virtual address that moved. Those of before stay open and silent. */
  moveTo(target: number): void {
    this.#moves += 1
    this.#target = target
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }

  watch(watcher: Watcher): void {
    this.#watcher = watcher
  }

  #pass(near: Socket): void {
    const far = connect(this.#target, '127.0.0.1')
    let isCut = false
    const moves = this.#moves
    const isSilent = (): boolean => this.#isSilent || moves !== this.#moves
    const connection = {
      cut: () => {
        near.resetAndDestroy()
        far.resetAndDestroy()
      },
      cutClient: () => {
        isCut = true
        near.resetAndDestroy()
      },
      forward: (bytes: Buffer) => void far.write(bytes),
    }
    for (const [here, there] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(here)
      here.setNoDelay(true).on('error', () => there.destroy())
      here.on('close', () => {
        this.#sockets.delete(here)
        if (!isSilent() && !isCut) there.destroy()
      })
    }
    near.on('data', (bytes) => {
      if (!isSilent() && this.#watcher(Buffer.from(bytes), connection) === 'pass') far.write(bytes)
    })
    far.on('data', (bytes) => void (isSilent() || isCut || near.write(bytes)))
  }
}

export async function startTcpProxy(context: TestContext, target: number): Promise<TcpProxy> {
  const proxy = new TcpProxy(target)
  await proxy.listen()
  endWith(context, async () => proxy.close())
  return proxy
}
