import { isIPv6 } from 'node:net'
import { DEMO_USER } from '../rules/brand.ts'
import type { NewBrand } from './first-brand.ts'
import { columns } from './terminal.ts'

/** The demo brand that this start created, and whether it has its virtual devices. */
export type Demo = { readonly brand: NewBrand; readonly hasDevice: boolean }

export type Ready = {
  readonly url: string
  readonly demo: Demo | null
  readonly heldSince: number | null
  /** The one-time link of the first administrator, from the first start alone. */
  readonly memberLink: string | null
}

/** The text that a start prints when Beckon is ready. The keys are printed only by the start that created them. */
export function banner({ url, demo, heldSince, memberLink }: Ready): readonly string[] {
  const keys =
    demo === null
      ? ['', LOST_KEYS]
      : ['', ...shopLines(url, demo.brand), ...keyLines(demo.brand), '', ...exampleLines(url, demo)]
  const held = heldSince === null ? [] : ['', heldLine(heldSince)]
  return [
    '',
    `Beckon is ready on ${url}`,
    ...held,
    ...(memberLink === null ? [] : ['', 'Open Beckon with this link, once:', `  ${memberLink}`]),
    ...keys,
    '',
    `Guides and API: ${url}/docs    Stop: Ctrl-C`,
    '',
  ]
}

const LOST_KEYS = 'A new key: bin/beckon key create BRAND. The brands: bin/beckon brand list.'

function heldLine(since: number): string {
  return `Nothing is sent: sending is held since ${new Date(since).toISOString()}. bin/beckon resume lets it go on.`
}

/** An address that means all interfaces cannot be called, so loopback replaces it. */
export function publicUrl(host: string, port: number): string {
  const callable = EVERYWHERE.get(host) ?? host
  return `http://${isIPv6(callable) ? `[${callable}]` : callable}:${port}`
}

const EVERYWHERE = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
])

/** The keys stand behind the #, which a browser does not send; the page removes them from the address bar. */
function shopLines(url: string, { secretKey, publishableKey }: NewBrand): readonly string[] {
  const keys = new URLSearchParams({ publishable: publishableKey, secret: secretKey })
  return ['Open the demo shop:', `  ${url}/demo#${keys.toString()}`, '']
}

function keyLines({ brandId, secretKey, publishableKey }: NewBrand): readonly string[] {
  return [
    ...columns([
      ['  brand', brandId],
      ['  secret key', secretKey],
      ['  publishable key', publishableKey],
    ]),
    '',
    'These keys are shown this once. bin/beckon key create makes others.',
  ]
}

function exampleLines(url: string, { brand, hasDevice }: Demo): readonly string[] {
  const { brandId, secretKey } = brand
  const auth = `-H 'x-brand-id: ${brandId}' -H 'x-api-key: ${secretKey}'`
  if (!hasDevice) return ['Try it:', `  curl ${url}/api/v1/brand ${auth}`]
  const body = JSON.stringify({ user_id: DEMO_USER, title: 'Hello', message: 'It works.' })
  return [
    'Send a push to the demo device:',
    `  curl ${url}/api/v1/android/send ${auth} -H 'content-type: application/json' -d '${body}'`,
    '',
    'And see what it got:',
    `  curl ${url}/sandbox/inbox ${auth}`,
  ]
}
