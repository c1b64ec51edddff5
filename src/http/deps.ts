import type { RenderPayload } from '../domain/push/payload.ts'
import type { Verdict } from '../domain/push/verdict.ts'
import type { ArrivedMessage } from '../domain/subscriptions/virtual-message.ts'
import type { EventFiles } from '../intake/event-files/ask-files.ts'
import type { EventIntake } from '../intake/events/intake.ts'
import type { VisitorBudgets } from '../intake/people/visitor-budgets.ts'
import type { PushIntake } from '../intake/push/intake.ts'
import type { PushWarnings } from '../intake/push/warnings.ts'
import type { Platform } from '../rules/platforms.ts'
import type { SandboxFaultDraft, SandboxFaultRule } from '../rules/sandbox.ts'
import type { Clock } from '../runtime/clock.ts'
import type { LoadDashboard } from '../runtime/dashboard-bundle.ts'
import type { Limiter } from '../runtime/limits/limiter.ts'
import type { LoopShare } from '../runtime/limits/loop-share.ts'
import type { Log } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import type { OutageAge } from '../runtime/outage.ts'
import type { PreferenceSigner } from '../runtime/secrets/preference-token.ts'
import type { ReceiptSigner } from '../runtime/secrets/receipt-token.ts'
import type { Sealer } from '../runtime/secrets/sealed.ts'
import type { VisitorSigner } from '../runtime/secrets/visitor-token.ts'
import type { Database } from '../store/db.ts'
import type { EndpointRef } from '../store/webhooks/endpoints.ts'
import type { ReadinessProbe } from './health/ready.ts'
import type { LiveHub } from './live/hub.ts'
import type { DemoTexts } from './pages/load-demo.ts'
import type { DocsFiles } from './pages/load-docs.ts'
import type { Scripts } from './pages/scripts.ts'
import type { TeamDeps } from './team/team-deps.ts'

/** The parts of Beckon that a handler may use. `app.ts` makes one of these; tests bring their own clock and database. */
export type Deps = {
  readonly database: Database
  readonly clock: Clock
  /** Where events go, so that calls which come together share a commit. */
  readonly intake: EventIntake
  /** The most that browsers may cause. */
  readonly visitorBudgets: VisitorBudgets
  /** Where pushes go, for the same reason. */
  readonly pushes: PushIntake
  /** Missing credentials and held sending, which a push is warned of. */
  readonly pushWarnings: PushWarnings
  /** The files of frozen weeks of events; null if there is no folder for them. */
  readonly eventFiles: EventFiles | null
  /** The turns of long computations, by brand. */
  readonly loopShare: LoopShare
  /** Pages of exports that are read at once, by brand: each keeps a connection and the loop busy. */
  readonly exports: Limiter
  /** The live streams of this process. */
  readonly live: LiveHub
  readonly log: Log
  /** Whether the database is away, and since when. */
  readonly outage: OutageAge
  /** Web push services that the operator allows beside the known ones, and the sandbox of this machine. */
  readonly loadPushHosts: () => Promise<ReadonlySet<string>>
  /** Renders a message as its provider would get it. */
  readonly renderPayload: RenderPayload
  /** Opens and closes stored secrets. */
  readonly sealer: Sealer
  /** Knows the tokens with which devices tell what became of a delivery. */
  readonly receipts: ReceiptSigner
  /** Knows the tokens by which browsers show who they are. */
  readonly visitors: VisitorSigner
  /** Knows the links to the pages of people's preferences. */
  readonly preferenceLinks: PreferenceSigner
  /** The sign-in of members. */
  readonly team: TeamDeps
  /** The scripts that pages load from Beckon. */
  readonly scripts: Scripts
  /** The files of the dashboard. */
  readonly loadDashboard: LoadDashboard
  /** The guides and the files of the site under /docs. */
  readonly docs: DocsFiles
  /** The shop at /demo. */
  readonly demo: DemoTexts
  /** Sends one test message now and returns the provider's answer. */
  readonly testSend: TestSend
  /** Private hosts that the operator lets webhooks call, as `host:port`. */
  readonly webhookHosts: ReadonlySet<string>
  /** Calls a webhook endpoint now and returns its answer; null when there is no such endpoint. */
  readonly testWebhook: TestWebhook
  /** The push providers of our own on this machine. */
  readonly sandbox: SandboxDeps
  /** Whether this process can serve requests. */
  readonly readiness: ReadinessProbe
  /** Where this process measures itself. */
  readonly metrics: Metrics
  /** The Prometheus text of all processes behind this address, or of this one if it stands alone. */
  readonly renderMetrics: () => Promise<string>
}

export type TestWebhook = (endpoint: EndpointRef) => Promise<object | null>

export type TestSend = (test: ChannelTest) => Promise<Tested>

export type ChannelTest = {
  readonly brandId: number
  readonly platform: Platform
  readonly subscriptionId: string
  readonly title: string
  readonly body: string
}

export type Tested =
  | { readonly kind: 'no_subscription' }
  | { readonly kind: 'no_channel' }
  | { readonly kind: 'sent'; readonly verdict: Verdict }

/** The questions to the sandbox; null on a machine without one. */
export type SandboxDeps = {
  readonly isPresent: () => Promise<boolean>
  readonly arrivals: () => Promise<readonly Arrival[] | null>
  /** The newest messages of each of these devices, oldest first. */
  readonly messagesOf: (
    devices: readonly { readonly platform: Platform; readonly address: string }[],
  ) => Promise<readonly (readonly ArrivedMessage[])[] | null>
  /** A device that it knows, as a body that registers it. */
  readonly newDevice: (platform: Platform, vapidKey: string | null) => Promise<object | null>
  /** The rules by which the brand's messages fail. */
  readonly faults: (brandId: number) => Promise<readonly SandboxFaultRule[] | null>
  readonly addFault: (
    brandId: number,
    draft: SandboxFaultDraft,
  ) => Promise<SandboxFaultRule | 'too_many' | null>
  readonly clearFaults: (brandId: number) => Promise<number | null>
}

/** A message that a sandbox provider accepted, as the device would have got it. */
export type Arrival = {
  readonly platform: string
  readonly address: string
  readonly arrivedAt: number
  readonly collapseId: string | null
  readonly payload: unknown
}
