import type { Browser } from 'puppeteer-core'
import type { PushEndpoint } from './push-endpoint.ts'

/** A real browser with an empty profile. */
export type RunningBrowser = {
  readonly browser: Browser
  /** Where senders reach it. */
  readonly push: PushEndpoint
  /** Answers the question that a person would be asked. */
  readonly allowNotifications: (origin: string) => Promise<void>
}
