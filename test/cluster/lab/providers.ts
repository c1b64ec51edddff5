import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import type { SandboxAccess } from '../../../src/delivery/sandbox/file.ts'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts'
import { fieldsOf } from '../fields.ts'
import { HOOK_PORT } from './apps.ts'
import { HUB } from './network.ts'

const PORTS = { fcm: 9_101, apns: 9_102, web: 9_103 } as const
const ARRIVALS_MAX = 2_000_000

/** A call of a webhook: the id that never changes, and what it tells. */
export type HookCall = { readonly id: string; readonly type: string; readonly about: string }

/** FCM, APNs and a web push service with the real protocols, and a server that webhooks call. */
export type Providers = {
  readonly sandbox: Sandbox
  readonly hookCalls: readonly HookCall[]
}

export async function startProviders(): Promise<Providers> {
  const sandbox = await startSandbox({ ports: PORTS, arrivalsMax: ARRIVALS_MAX })
  for (const port of Object.values(PORTS)) await relay(port)
  return { sandbox, hookCalls: await listenForHooks() }
}

/** The way to the providers, with new credentials. */
export function newAccess({ servers, certificate, fcm, apns }: Sandbox): SandboxAccess {
  const origin = servers.fcm.origin
  return {
    certificate,
    fcm: { origin, tokenUrl: `${origin}/token`, credential: fcm.newCredential() },
    apns: {
      origin: servers.apns.origin,
      credential: { ...apns.newCredential(), environment: 'production' },
    },
    web: { origin: servers.web.origin },
    controlUrl: `http://${HUB.address}:${PORTS.fcm}`,
    controlToken: 'none',
  }
}

/** The sandbox listens on loopback only; the machines reach it through the hub's own address. */
async function relay(port: number): Promise<void> {
  const server = createServer((inside) => {
    const outside = connect(port, '127.0.0.1')
    inside.pipe(outside).pipe(inside)
    for (const socket of [inside, outside]) {
      socket.setNoDelay(true).on('error', () => {
        inside.destroy()
        outside.destroy()
      })
    }
  })
  server.listen(port, HUB.address)
  await once(server, 'listening')
}

async function listenForHooks(): Promise<readonly HookCall[]> {
  const calls: HookCall[] = []
  const server = createHttpServer((request, response) => {
    void text(request).then((body) => {
      const { id, type, data } = fieldsOf(JSON.parse(body))
      const { id: notification, user_id: user } = fieldsOf(data)
      calls.push({ id: String(id), type: String(type), about: String(notification ?? user) })
      return response.writeHead(204).end()
    })
  })
  server.listen(HOOK_PORT, HUB.address)
  await once(server, 'listening')
  return calls
}
