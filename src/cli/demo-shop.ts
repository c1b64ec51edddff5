import type { NewBrand } from './first-brand.ts'

const TIMEOUT_MS = 5_000

/**
 * Lets the demo shop of this Beckon log and subscribe for the demo brand, and gives the link that opens it with its
 * keys. They are behind the #, which a browser keeps to itself; the page takes them out of the address bar.
 */
export async function openDemoShop(url: string, { secretKey, publishableKey }: NewBrand): Promise<string> {
  const { port, protocol } = new URL(url)
  const response = await fetch(`${url}/api/v1/brand`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secretKey}` },
    body: JSON.stringify({ allowed_origins: [url, `${protocol}//localhost:${port}`] }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (!response.ok) throw new Error(`the demo shop was not let in: ${response.status}`)
  return `${url}/demo#${new URLSearchParams({ publishable: publishableKey, secret: secretKey }).toString()}`
}
