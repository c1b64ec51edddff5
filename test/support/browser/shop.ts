import type { TestContext } from 'node:test'
import type { Page } from 'puppeteer-core'
import { startSite } from './site.ts'

/** A site with Beckon's SDK, set up as its guide says: a snippet on every page, and a service worker of one line. */
export async function startShop(context: TestContext, { api, key }: ShopOptions): Promise<string> {
  return startSite(context, {
    pages: { '/sw.js': ['text/javascript', `importScripts(${JSON.stringify(`${api}/sw.js`)})`] },
    page: (path) => `<!doctype html><html lang="en"><head><title>Shop ${path}</title>
<script>
(function(w,d,u){w.beckon=w.beckon||function(){var a=arguments;return new Promise(function(y,n){(w.beckon.q=w.beckon.q||[]).push([a,y,n])})};
w.nv=w.nv||w.beckon;var s=d.createElement('script');s.async=1;s.src=u;d.head.appendChild(s)})(window,document,'${api}/sdk.js');
beckon('init',${JSON.stringify({ key, consent: 'pending' })});
</script></head><body><h1>${path}</h1></body></html>`,
  })
}

export type ShopOptions = { readonly api: string; readonly key: string }

/** Runs `beckon(…)` in a page, and gives what its promise resolves to. Several commands go in one tick. */
export async function tell(
  page: Page,
  ...commands: readonly (readonly unknown[])[]
): Promise<readonly unknown[]> {
  const calls = commands.map((words) => `beckon(${words.map((word) => JSON.stringify(word)).join(', ')})`)
  // As a text: through Firefox's protocol an object that comes twice arrives once.
  const told = await page.evaluate(`Promise.all([${calls.join(', ')}]).then(JSON.stringify)`)
  return Object(JSON.parse(String(told)))
}
