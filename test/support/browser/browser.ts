import type { Browser } from 'puppeteer-core'
import type { Desktop } from './desktop.ts'
import type { Place } from './place.ts'
import type { PushEndpoint } from './push-endpoint.ts'

/** What a browser stands on; its notifications appear on a desktop of its own. */
export type BrowserPlace = Place & { readonly desktop: Desktop }

/** A real browser with an empty profile. */
export type RunningBrowser = {
  readonly browser: Browser
  /** Where senders reach it. */
  readonly push: PushEndpoint
  /** Answers the question that a person would be asked. */
  readonly allowNotifications: (origin: string) => Promise<void>
  /** Takes the browser's subscription away, and lets its worker hear of it: `pushsubscriptionchange`. */
  readonly losePush: () => Promise<void>
}
