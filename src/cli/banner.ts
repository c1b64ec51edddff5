import { isIPv6 } from 'node:net'
import type { NewBrand } from './first-brand.ts'
import { columns } from './terminal.ts'

/** What a start says when Beckon is ready. The keys are in it only when they were made just now. */
export function banner(url: string, brand: NewBrand | null): readonly string[] {
  const keys = brand === null ? [] : ['', ...keyLines(brand), '', 'Try it:', `  ${exampleCall(url, brand)}`]
  return ['', `Beckon is ready on ${url}`, ...keys, '', `API reference: ${url}/docs    Stop: Ctrl-C`, '']
}

/** Addresses that mean "everywhere" cannot be called; loopback can. */
export function publicUrl(host: string, port: number): string {
  const callable = EVERYWHERE.get(host) ?? host
  return `http://${isIPv6(callable) ? `[${callable}]` : callable}:${port}`
}

const EVERYWHERE = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
])

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

function exampleCall(url: string, { brandId, secretKey }: NewBrand): string {
  return `curl ${url}/api/v1/brand -H 'x-brand-id: ${brandId}' -H 'x-api-key: ${secretKey}'`
}
