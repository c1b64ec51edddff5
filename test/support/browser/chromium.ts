import { createHash, X509Certificate } from 'node:crypto'
import { TargetType } from 'puppeteer-core'
import type { BrowserPlace, RunningBrowser } from './browser.ts'
import { launchBrowser } from './launch.ts'

export const CHROMIUM = '/usr/bin/chromium'

/** Debian's Chromium with an empty profile; its push service is on this machine. */
export async function startChromium({
  certificate,
  desktop,
  gcm,
  newFolder,
}: BrowserPlace): Promise<RunningBrowser> {
  const browser = await launchBrowser({
    browser: 'chrome',
    executablePath: CHROMIUM,
    headless: true,
    userDataDir: await newFolder(),
    env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: desktop.busAddress },
    args: [
      '--no-sandbox', // as root there is no other way
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      `--ignore-certificate-errors-spki-list=${fingerprint(certificate.cert)}`,
      ...gcm.flags,
    ],
  })
  return {
    browser,
    push: gcm.endpoint,
    allowNotifications: async (origin) =>
      browser.defaultBrowserContext().overridePermissions(origin, ['notifications']),
    losePush: async () => {
      const target = await browser.waitForTarget((one) => one.type() === TargetType.SERVICE_WORKER)
      await (await target.worker())?.evaluate(LOSE_PUSH)
    },
  }
}

/** Chromium has no way to take one from outside, so the worker gives it up and is told as a browser would tell it. */
const LOSE_PUSH = `registration.pushManager.getSubscription()
  .then((one) => one.unsubscribe())
  .then(() => dispatchEvent(Object.assign(new Event('pushsubscriptionchange'), { waitUntil() {} })))`

function fingerprint(pem: string): string {
  const key = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(key).digest('base64')
}
