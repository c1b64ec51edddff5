import { changeSubscription } from './change.ts'
import { click, dismiss } from './click.ts'
import { report } from './report.ts'
import { show } from './show.ts'

/** Adds listeners to the site's own worker. It claims no pages and never forces an update. */
declare const self: ServiceWorkerGlobalScope

self.addEventListener('push', (event) => event.waitUntil(show(self.registration, event.data)))
self.addEventListener('notificationclick', (event) =>
  event.waitUntil(click(self.clients, event.notification, event.action)),
)
self.addEventListener('notificationclose', (event) =>
  event.waitUntil(dismiss(self.registration, event.notification)),
)
self.addEventListener('pushsubscriptionchange', (event) =>
  event.waitUntil(changeSubscription(self.registration, event)),
)
// Sends what could not be sent before: when the worker is new, or when the browser is online again.
self.addEventListener('activate', (event) => event.waitUntil(report()))
self.addEventListener('sync', (event) => {
  if ('waitUntil' in event && typeof event.waitUntil === 'function') event.waitUntil(report())
})
