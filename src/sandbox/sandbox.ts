import { randomBytes } from 'node:crypto'
import { type Clock, systemClock } from '../runtime/clock.ts'
import { ApnsSandbox } from './apns/apns-sandbox.ts'
import { type Certificate, makeCertificate } from './certificate.ts'
import { dialledFault } from './dialled-fault.ts'
import { FaultDial } from './fault-dial.ts'
import { FcmSandbox } from './fcm/fcm-sandbox.ts'
import { Inbox } from './inbox.ts'
import { SandboxServer } from './server.ts'
import { WebSandbox } from './webpush/web-sandbox.ts'

type SandboxOptions = {
  readonly clock?: Clock
  /** 0, the default, takes any free port. */
  readonly ports?: { readonly apns?: number; readonly fcm?: number; readonly web?: number }
  readonly arrivalsMax?: number
  /** Web subscriptions made with the same seed and port work again after a restart; random by default. */
  readonly seed?: Buffer
  /** Sandboxes that share a certificate are trusted together; by default each makes its own. */
  readonly certificate?: Certificate
  /** The dice of the faults; a test brings its own. */
  readonly random?: () => number
}

/** Simulators of the push providers on loopback, with the real protocols and checks, and with faults on demand. */
export type Sandbox = {
  /** The certificate (PEM) that a client of these servers must trust. */
  readonly certificate: string
  readonly inbox: Inbox
  /** The faults that happen to a share of the messages. */
  readonly dial: FaultDial
  readonly apns: ApnsSandbox
  readonly fcm: FcmSandbox
  readonly web: WebSandbox
  readonly servers: Readonly<Record<'apns' | 'fcm' | 'web', SandboxServer>>
  readonly close: () => Promise<void>
}

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { clock = systemClock, ports = {}, arrivalsMax = ARRIVALS_MAX, seed = randomBytes(32) } = options
  const { certificate = makeCertificate(Date.now()) } = options
  const inbox = new Inbox(arrivalsMax)
  const apns = new ApnsSandbox(clock, inbox)
  const fcm = new FcmSandbox(clock, inbox)
  const web = new WebSandbox({ clock, inbox, seed, origin: () => servers.web.origin })
  const dial = new FaultDial({ clock, random: options.random ?? Math.random })
  const servers = {
    apns: new SandboxServer(apns, certificate, dialledFault(dial, 'apns', apns)),
    fcm: new SandboxServer(fcm, certificate, dialledFault(dial, 'fcm', fcm)),
    web: new SandboxServer(web, certificate, dialledFault(dial, 'webpush', web)),
  }
  await servers.apns.listen(ports.apns ?? 0)
  await servers.fcm.listen(ports.fcm ?? 0)
  await servers.web.listen(ports.web ?? 0)
  const close = async (): Promise<void> => {
    await Promise.all(Object.values(servers).map(async (server) => server.close()))
  }
  return { certificate: certificate.cert, inbox, dial, apns, fcm, web, servers, close }
}

const ARRIVALS_MAX = 10_000
