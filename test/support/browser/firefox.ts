import type { BrowserPlace, RunningBrowser } from './browser.ts'
import { launchBrowser } from './launch.ts'

export const FIREFOX = '/usr/bin/firefox-esr'

/** Debian's Firefox with an empty profile; its push service is on this machine. */
export async function startFirefox({ desktop, autopush, newFolder }: BrowserPlace): Promise<RunningBrowser> {
  const browser = await launchBrowser({
    browser: 'firefox',
    executablePath: FIREFOX,
    headless: true,
    userDataDir: await newFolder(),
    env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: desktop.busAddress },
    extraPrefsFirefox: {
      ...autopush.preferences,
      // Granted, with no window that nobody could click.
      'permissions.default.desktop-notification': 1,
      // Through the desktop, where they can be seen and clicked.
      'alerts.useSystemBackend': true,
    },
  })
  return {
    browser,
    push: autopush.endpoint,
    allowNotifications: async () => undefined,
    losePush: async () => autopush.forget(),
  }
}
