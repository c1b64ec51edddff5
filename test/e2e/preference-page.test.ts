import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SerializedAXNode } from 'puppeteer-core'
import { TRANSACTIONAL_TOPIC } from '../../src/rules/topics.ts'
import { openPage, startPlainChromium } from '../support/browser/plain-chromium.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { call, keyHeaders, startServer } from '../support/processes/server.ts'

test('the page of preferences works with the keyboard alone and without script, and names each box', {
  skip: whyNoBrowsers(),
}, async (context) => {
  const server = await startServer()
  context.after(server.close)
  const brand = await server.brand()
  const ask = async (path: string, body?: object) =>
    call(server.port, { path, headers: keyHeaders(brand), ...(body === undefined ? {} : { body }) })
  await ask('/api/v1/topics', { name: 'offers', title: 'Offers', description: 'Discounts.' })
  await ask('/api/v1/topics', { name: 'orders', title: 'Orders' })
  await ask('/api/v1/user/create', { nv: [{ userID: 'ann' }] })
  const { body } = await ask('/api/v1/user/preferences/link', { userID: 'ann' })

  const { page, problems } = await openPage(await startPlainChromium(context))
  await page.setJavaScriptEnabled(false)
  await page.goto(String(Object(body['link'])['url']))
  const boxes = nodesOf(await page.accessibility.snapshot()).filter(({ role }) => role === 'checkbox')
  assert.deepEqual(
    boxes.map(({ name, description = '', checked }) => [name, description, checked]),
    [
      ['Offers', 'Discounts.', true],
      ['Orders', '', true],
      [TRANSACTIONAL_TOPIC.title, TRANSACTIONAL_TOPIC.description, true],
    ],
  )
  // The first box, the second one, the button: the box that cannot be changed is passed over.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
  assert.match(page.url(), /\?saved$/)
  const roles = nodesOf(await page.accessibility.snapshot()).map(({ role }) => role)
  assert.ok(roles.includes('status'), roles.join(' '))
  const read = await ask('/api/v1/user/preferences?userID=ann')
  assert.deepEqual(Object(read.body['preferences'])['opt_outs'], ['offers'])
  assert.deepEqual(problems, [])
})

/** A part of the page as a screen reader knows it, and all parts inside it. */
function nodesOf(node: SerializedAXNode | null): readonly SerializedAXNode[] {
  return node === null ? [] : [node, ...(node.children ?? []).flatMap(nodesOf)]
}
