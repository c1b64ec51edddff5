import { test } from 'node:test'
import { startChromium } from '../support/browser/chromium.ts'
import { startFirefox } from '../support/browser/firefox.ts'
import { startPlace } from '../support/browser/place.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import * as proofs from '../support/browser/proofs.ts'
import { visitShop } from '../support/browser/visit.ts'

const BROWSERS = { chromium: startChromium, firefox: startFirefox } as const

test('real browsers', { skip: whyNoBrowsers() }, async (context) => {
  const place = await startPlace(context)
  for (const [name, start] of Object.entries(BROWSERS)) {
    await context.test(name, async (inner) => {
      const visit = await visitShop(inner, place, start)
      const step = async (guarantee: string, prove: (visit: proofs.Proof) => Promise<void>): Promise<void> =>
        inner.test(guarantee, async () => prove(visit))
      await step(
        'nothing leaves the browser before consent, and the page view is stored after it',
        proofs.consent,
      )
      await step(
        'an event after user, in the same tick, belongs to the person and keeps its place',
        proofs.identify,
      )
      await step('a yes to the question makes a subscription of that person', proofs.subscribe)
      await step('a broadcast is shown, once, as the browser can show it', proofs.show)
      await step('a click opens the page and is counted', proofs.click)
      await step('a push that comes again after it was dismissed is not shown again', proofs.repeat)
      await step('what happens offline is stored when the network is back, once', proofs.offline)
      await step('two tabs send nothing twice', proofs.tabs)
      await step('a subscription that the browser gave up is gone after the next push', proofs.unsubscribe)
    })
  }
})
