import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Page } from 'puppeteer-core'
import { startSite } from './site.ts'

/** A site with Beckon's SDK, set up as its guide says: a snippet on every page, and a service worker of one line. */
export async function startShop(context: TestContext, { api, key }: ShopOptions): Promise<string> {
  const snippet = await readSnippet()
  return startSite(context, {
    pages: { '/sw.js': ['text/javascript', `importScripts(${JSON.stringify(`${api}/sw.js`)})`] },
    page: (path) =>
      path.startsWith(NEVER_ANSWERED)
        ? null
        : `<!doctype html><html lang="en"><head><title>Shop ${path}</title>
<script>
${snippet.replace('https://push.example.com', path === SLOW_PAGE ? NEVER_ANSWERED : api)}
beckon('init',${JSON.stringify({ key, consent: 'pending' })});
</script></head><body><h1>${path}</h1></body></html>`,
  })
}

/** A page whose script does not come. */
export const SLOW_PAGE = '/slow'
const NEVER_ANSWERED = '/never'

/** Out of the guide, so that what is proved is what people copy. */
async function readSnippet(): Promise<string> {
  const guide = await readFile(join(import.meta.dirname, '../../../docs/web-sdk.md'), 'utf8')
  const [, snippet] = /<script>\n([\s\S]*?sdk\.js'\);)\n/.exec(guide) ?? []
  if (snippet === undefined) throw new Error('the guide has no snippet')
  return snippet
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
