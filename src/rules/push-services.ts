/**
 * The push services of browsers. A web subscription may point only at one of them, or at a host that the settings add:
 * an endpoint is an address from outside, and must not lead our requests anywhere else.
 * A host that begins with a dot stands for the names below it, one label deep: some services have a host per region.
 * `family` is the kind of browser behind it; only Chromium's shows hero images and buttons (decisions §3).
 */
export const PUSH_SERVICES = [
  { host: 'fcm.googleapis.com', family: 'chromium' },
  { host: 'jmt17.google.com', family: 'chromium' },
  { host: '.notify.windows.com', family: 'chromium' },
  { host: 'updates.push.services.mozilla.com', family: 'firefox' },
  { host: '.push.services.mozilla.com', family: 'firefox' },
  { host: 'web.push.apple.com', family: 'safari' },
  { host: '.push.apple.com', family: 'safari' },
] as const satisfies readonly { readonly host: string; readonly family: string }[]

export type BrowserFamily = (typeof PUSH_SERVICES)[number]['family']

/** Names a caller may give in `browser`; one not listed is known by the push service behind it. */
export const BROWSERS = {
  chrome: 'chromium',
  chromium: 'chromium',
  edge: 'chromium',
  opera: 'chromium',
  brave: 'chromium',
  vivaldi: 'chromium',
  samsung: 'chromium',
  yandex: 'chromium',
  firefox: 'firefox',
  safari: 'safari',
} as const satisfies Record<string, BrowserFamily>
