import { type Clock, systemClock } from '../runtime/clock.ts'
import { ApnsSandbox } from './apns/apns-sandbox.ts'
import { makeCertificate } from './certificate.ts'
import { FcmSandbox } from './fcm/fcm-sandbox.ts'
import { Inbox } from './inbox.ts'
import { SandboxServer } from './server.ts'

export type SandboxOptions = {
  readonly clock?: Clock
  /** 0, the default, takes any free port. */
  readonly ports?: { readonly apns?: number; readonly fcm?: number; readonly web?: number }
  readonly arrivalsMax?: number
}

/** Push providers on loopback: they speak the real protocols, check what the real ones check, and err on demand. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const clock = options.clock ?? systemClock
  const certificate = makeCertificate(Date.now())
  const inbox = new Inbox(options.arrivalsMax ?? ARRIVALS_MAX)
  const apns = new ApnsSandbox(clock, inbox)
  const fcm = new FcmSandbox(clock, inbox)
  const servers = { apns: new SandboxServer(apns, certificate), fcm: new SandboxServer(fcm, certificate) }
  await servers.apns.listen(options.ports?.apns ?? 0)
  await servers.fcm.listen(options.ports?.fcm ?? 0)
  return {
    certificate: certificate.cert,
    inbox,
    apns,
    fcm,
    servers,
    close: async () => {
      await Promise.all(Object.values(servers).map(async (server) => server.close()))
    },
  }
}

export type Sandbox = {
  /** PEM: what a client must trust to talk to these servers. */
  readonly certificate: string
  readonly inbox: Inbox
  readonly apns: ApnsSandbox
  readonly fcm: FcmSandbox
  readonly servers: { readonly apns: SandboxServer; readonly fcm: SandboxServer }
  readonly close: () => Promise<void>
}

const ARRIVALS_MAX = 10_000
