import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Page } from 'puppeteer-core'
import { idIn, push } from '../push/calls.ts'
import { seedDevices } from '../subscriptions/subscriptions.ts'
import type { DashboardTab, DashboardTest } from './dashboard.ts'

/** The figures that the page of a message showed at one moment. */
export type Moment = {
  readonly audience: number
  /** Accepted, failed, expired, cancelled and waiting. */
  readonly parts: readonly number[]
  /** The rate and the predicted end, in words. */
  readonly pace: string
}

export type WatchOptions = {
  readonly devices: number
  /** Starts the sending, once the page is open. */
  readonly start: () => void
}

/** Opens the page of a broadcast before it is sent, and returns every moment that the page showed until its end. */
export async function watchBroadcast(
  { server, brand }: Pick<DashboardTest, 'server' | 'brand'>,
  { page, open }: DashboardTab,
  { devices, start }: WatchOptions,
): Promise<readonly Moment[]> {
  const tokens = Array.from({ length: devices }, () => ({ address: randomBytes(32).toString('hex') }))
  await seedDevices(server.deps.database, { brandId: brand.brandId, platform: 'ios', devices: tokens })
  const wish = { platform: 'ios', mode: 'all', body: { title: 'Autumn teas' } } as const
  const id = idIn(await push(server.port, brand, wish))
  await open(`/messages/notification/${id}`)
  await page.evaluate(RECORD)
  start()
  await untilTrue(page, `seen.at(-1)?.parts[0] === ${devices} && document.body.innerText.includes('Sent')`)
  const seen: unknown = await page.evaluate('JSON.stringify(seen)')
  return JSON.parse(String(seen))
}

const WATCH_MS_MAX = 10 * 60_000
/** A wait of the browser is one call of its protocol, which ends after three minutes whatever its timeout is. */
const LOOK_MS = 60_000

async function untilTrue(page: Page, condition: string): Promise<void> {
  for (let waitedMs = LOOK_MS; ; waitedMs += LOOK_MS) {
    try {
      await page.waitForFunction(condition, { timeout: LOOK_MS })
      return
    } catch (error) {
      if (waitedMs >= WATCH_MS_MAX) throw error
    }
  }
}

/** After each change that React makes, the page is looked at once, whole. */
const RECORD = `window.seen = [];
  const digits = (text) => Number(text.replace(/\\D/g, ''));
  new MutationObserver(() => {
    const sum = document.querySelector('main dl');
    const [size, pace] = sum.parentElement.firstElementChild.children;
    const audience = size.querySelector('b');
    if (audience === null) return;
    seen.push({
      audience: digits(audience.textContent),
      parts: [...sum.querySelectorAll('dd')].map((part) => digits(part.textContent)),
      pace: pace.textContent,
    });
  }).observe(document.querySelector('main'), { subtree: true, childList: true, characterData: true });`

/** The sum holds at every moment, and the page told the pace while it was filling up. */
export function assertWatched(seen: readonly Moment[], devices: number): void {
  for (const { audience, parts } of seen)
    assert.equal(
      parts.reduce((sum, part) => sum + part, 0),
      audience,
      JSON.stringify(parts),
    )
  assert.deepEqual(seen.at(-1)?.parts, [devices, 0, 0, 0, 0])
  assert.equal(seen.at(-1)?.audience, devices)
}
