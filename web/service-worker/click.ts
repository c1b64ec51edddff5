import { record } from './report.ts'
import type { Shown } from './show.ts'

/** Notifications that were clicked since the worker started: Firefox also reports them as closed, at once. */
const clicked = new Set<string>()

/** Opens the page of a click, and reports the click afterwards, so that the visitor does not wait. */
export async function click(clients: Clients, notification: Notification, action: string): Promise<void> {
  const shown = readShown(notification.data)
  if (shown === null) return
  clicked.add(shown.delivery_id)
  notification.close()
  const button = Number(/^beckon-(\d)$/.exec(action)?.[1] ?? 0)
  const url = (button === 0 ? null : shown.buttonUrls[button - 1]) ?? shown.url
  await openPage(clients, url).catch(() => undefined)
  await record(
    shown,
    { kind: 'clicked', event: 'push_clicked' },
    ...(button === 0 ? [] : [{ kind: 'button', event: 'push_button_clicked', button } as const]),
  )
}

/** Firefox also reports a notification as closed when another with its tag replaces it; nobody dismissed it then. */
export async function dismiss(
  registration: ServiceWorkerRegistration,
  notification: Notification,
): Promise<void> {
  const shown = readShown(notification.data)
  if (shown === null || clicked.has(shown.delivery_id)) return
  const standing = await registration.getNotifications({ tag: notification.tag })
  if (standing.length === 0) await record(shown, { kind: 'dismissed', event: 'push_dismissed' })
}

/** Focuses a tab that already shows the page, or opens a new one. Without an address, any tab of the site is focused. */
async function openPage(clients: Clients, url: string | null): Promise<void> {
  const open = await clients.matchAll({ type: 'window', includeUncontrolled: true })
  const wanted = url === null ? null : bare(new URL(url, self.location.href).href)
  const tab = open.find((client) => wanted === null || bare(client.url) === wanted)
  if (tab instanceof WindowClient) await tab.focus()
  else await clients.openWindow(url ?? '/')
}

function bare(url: string): string {
  return url.replace(/#.*$/, '')
}

function readShown(data: unknown): Shown | null {
  const given: unknown = typeof data === 'object' && data !== null && 'beckon' in data ? data.beckon : null
  return isShown(given) ? given : null
}

function isShown(given: unknown): given is Shown {
  return typeof given === 'object' && given !== null && 'receipt' in given && 'buttonUrls' in given
}
