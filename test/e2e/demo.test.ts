import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { openPage, startPlainChromium } from '../support/browser/plain-chromium.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { freshFolder, startBeckon } from '../support/processes/beckon.ts'

test('the demo shop works from the link that the first start prints, with no push service', {
  skip: whyNoBrowsers(),
}, async (context) => {
  const { stdout } = await startBeckon(context, {
    BECKON_SANDBOX: 'on',
    BECKON_DATA_DIR: await freshFolder(context),
  })
  const [, link = ''] = /^ *(http\S+\/demo#\S+)$/m.exec(stdout()) ?? []
  const { page, problems } = await openPage(await startPlainChromium(context))

  await page.goto(link.replace(/#.*$/, '#publishable=bk_public_of_a_beckon_that_is_no_more'))
  await told(page, /init.*✗ beckon: No valid API key/s)
  await page.waitForSelector('#key', { visible: true })
  assert.equal(await page.$eval('#floor', ({ inert }: { inert?: boolean }) => inert), true)
  assert.deepEqual(
    problems.splice(0).filter((problem) => !problem.includes('401')),
    [],
    'the reader of the console is told what the network said, and no more',
  )

  assert.match(String(await page.evaluate(TELL_MEANWHILE)), /No valid API key/)
  problems.length = 0

  await page.goto('about:blank')
  await page.goto(link)
  await told(page, /init.*✓ stored/s)
  assert.equal(page.url(), link.replace(/#.*$/, ''), 'the keys are no longer in the address')

  await page.click('#goods button')
  await told(page, /cart_add.*✓ stored/s)
  await page.click('#login')
  await told(page, /'user'.*✓ stored/s)
  await page.click('#send')
  await told(page, /✓ \{\s*"title": "Your tea is back"/)

  await page.select('#fault', 'is busy for 5 seconds: 429')
  await page.click('#day-start')
  await told(page, /"status":429,"retry_after":5,"share":1.*✓ set, for ten minutes/s)
  await page.click('#send')
  await told(page, /what Beckon says of it.*✓ retrying: http_429/s)
  await page.click('#day-end')
  await told(page, /-X DELETE.*✓ no fault is set/s)
  assert.deepEqual(await nameless(page), [])
  assert.deepEqual(problems, [])
})

/** What is told while a refusal is under way hears of it too, and not only when the key may have been mended. */
const TELL_MEANWHILE = `new Promise((resolve) => {
  const send = fetch
  window.fetch = async (...args) => {
    window.fetch = send
    const reply = send(...args)
    beckon('event', 'meanwhile').catch(({ message }) => resolve(message))
    return reply
  }
  beckon('event', 'first').catch(() => undefined)
})`

/** Waits until the log of the page says so. */
async function told(page: Page, words: RegExp): Promise<void> {
  await page.waitForFunction(
    `new RegExp(${JSON.stringify(words.source)}, 's').test(document.getElementById('log').innerText)`,
  )
}

/** What can be clicked or filled in and has no name for somebody who does not see it. */
async function nameless(page: Page): Promise<unknown> {
  return page.evaluate(
    `[...document.querySelectorAll('a, button, input, select')].filter((one) => !(one.textContent.trim() || one.labels?.length)).map((one) => one.outerHTML)`,
  )
}
