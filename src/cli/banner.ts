import { isIPv6 } from 'node:net'
import { DEMO_USER } from '../rules/brand.ts'
import type { NewBrand } from './first-brand.ts'
import { columns } from './terminal.ts'

/** The demo brand that this start created, whether it has a sandbox device, and the link to its shop. */
export type Demo = { readonly brand: NewBrand; readonly hasDevice: boolean; readonly shop: string | null }

export type Ready = { readonly url: string; readonly demo: Demo | null; readonly heldSince: number | null }

/** The text that a start prints when Beckon is ready. The keys are printed only by the start that created them. */
export function banner({ url, demo, heldSince }: Ready): readonly string[] {
  const keys =
    demo === null ? [] : ['', ...shopLines(demo), ...keyLines(demo.brand), '', ...exampleLines(url, demo)]
  const held = heldSince === null ? [] : ['', heldLine(heldSince)]
  return [
    '',
    `Beckon is ready on ${url}`,
    ...held,
    ...keys,
    '',
    `API reference: ${url}/docs    Stop: Ctrl-C`,
    '',
  ]
}

function heldLine(since: number): string {
  return `Nothing is sent: sending is held since ${new Date(since).toISOString()}. beckon resume lets it go on.`
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

function shopLines({ shop }: Demo): readonly string[] {
  return shop === null ? [] : ['Open the demo shop:', `  ${shop}`, '']
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
