import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { axeFindings, setTheme, startDashboard } from '../support/dashboard/dashboard.ts'
import { replaceText } from '../support/dashboard/replace-text.ts'
import { call, keyHeaders } from '../support/processes/server.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'

const MARKUP = '<img src=x onerror="document.title=1">'

test('the pages of templates', { skip: whyNoBrowsers() }, async (context) => {
  const { server, brand, signIn } = await startDashboard(context)
  const headers = keyHeaders(brand)
  const ask = async (path: string, body?: object) =>
    call(server.port, { path, headers, ...(body === undefined ? {} : { body }) })
  await ask('/api/v1/user/create', { nv: [{ userID: 'u-1', user_attributes: { first_name: 'Ada' } }] })
  for (const platform of ['ios', 'web'] as const) {
    await seedSubscriptions(server.deps.database, { brandId: brand.brandId, userId: 'u-1', platform })
  }
  await ask('/api/v1/snippets', { name: 'closing', text: 'Your tea shop, {{ user.first_name }}' })
  const languages = { de: { title: 'Hallo {{ user.first_name | default: "Sie" }}' } }
  const content = { title: MARKUP, message: 'm', sound: 'bell', languages }
  await ask('/api/v1/templates', { name: MARKUP, content })
  const owner = await signIn()
  const { page } = owner
  const newest = async () => {
    const { body } = await ask('/api/v1/templates?limit=200')
    return Object(Array.from(Object(body['templates'])).at(-1))
  }

  await context.test('a template is written, previewed with a snippet and a person, and saved', async () => {
    await owner.open('/templates')
    await page.locator('button ::-p-text(New template)').click()
    await page.waitForSelector('#compose-title')
    await page.type('#compose-title', 'On its way, {{ user.first_name }}')
    await page.type('#compose-message', 'It arrives on Monday. ')
    await page.locator('button[aria-label$="into Message"]').click()
    await page.locator('[role=menuitem] ::-p-text(closing)').click()
    await hasText(page, 'figure', 'On its way, Ada')
    await hasText(page, 'figure', 'Your tea shop, Ada')
    await page.locator('button ::-p-text(Save)').click()
    await page.waitForFunction(`/^.templates.[0-9]+$/.test(location.pathname)`)
    const saved = await newest()
    assert.equal(saved.name, 'On its way')
    assert.deepEqual(saved.snippets, ['closing'])
  })

  await context.test('a change makes a version, and an older one can be brought back', async () => {
    await replaceText(page, '#compose-title', 'It is here')
    await page.locator('button ::-p-text(Save)').click()
    await page.locator('button[aria-label="Bring back version 1"]').click()
    await page.waitForFunction(`document.querySelector('#compose-title').value.startsWith('On its way')`)
    await page.locator('button ::-p-text(Save)').click()
    await page.waitForSelector('button[aria-label="Bring back version 2"]')
    assert.equal((await newest()).version, 3)
  })

  await context.test('a message is made with the template, in the version that was looked at', async () => {
    await page.locator('button ::-p-text(Write a message with it)').click()
    await page.waitForFunction(`/^.compose.[0-9]+$/.test(location.pathname)`)
    const { body } = await ask(`/api/v1/campaigns/${new URL(page.url()).pathname.split('/')[2] ?? ''}`)
    const { template_id: id } = await newest()
    assert.deepEqual(Object(body['campaign']).content, { template_id: id, template_version: 3 })
    await hasText(page, 'figure', 'Your tea shop, Ada')
  })

  await context.test('the list is searched; markup is text; other fields of a template stay', async () => {
    await owner.open('/templates?text=on+its')
    await page.waitForFunction(`document.querySelectorAll('main tbody a').length === 1`)
    await owner.open('/templates')
    await page.locator('main tbody a ::-p-text(onerror)').click()
    await hasText(page, 'main', 'It also has sound')
    await hasText(page, 'figure', MARKUP)
    await page.locator('label ::-p-text(German)').click()
    await hasText(page, 'figure', 'Hallo Ada')
    await page.locator('label ::-p-text(All others)').click()
    assert.equal(await page.$('img'), null)
    await replaceText(page, '#compose-message', 'More')
    await page.locator('button ::-p-text(Save)').click()
    await hasText(page, 'header', 'Version 2')
    const { body } = await ask(`/api/v1/templates/${new URL(page.url()).pathname.split('/')[2] ?? ''}`)
    assert.deepEqual(Object(body['template']).content, { ...content, message: 'More' })
  })

  await context.test('a snippet says what uses it; it is deleted, and the deletion undone', async () => {
    await owner.open('/templates/snippets/closing')
    await hasText(page, 'main', 'On its way')
    await page.waitForSelector('button[aria-disabled=true]')
    await owner.open('/templates/new-snippet')
    await page.type('input[placeholder="closing-line"]', 'hello')
    await page.type('#snippet-text', 'Hello {{ user.first_name }}')
    await hasText(page, 'figure', 'Hello Ada')
    await page.locator('button ::-p-text(Save)').click()
    await page.waitForFunction(`location.pathname === '/templates/snippets/hello'`)
    await page.waitForSelector('button[aria-disabled=false]')
    await page.locator('button ::-p-text(Delete)').click()
    await page.locator('button ::-p-text(Undo)').click()
    await page.waitForSelector('main a[href="/templates/snippets/hello"]')
    assert.equal((await ask('/api/v1/snippets/hello')).status, 200)
  })

  await context.test('nothing of WCAG A, AA or best practice is broken, in both themes', async () => {
    const { template_id: id } = await newest()
    for (const theme of ['light', 'dark'] as const) {
      await setTheme(page, theme)
      for (const path of ['/templates', `/templates/${id}`, '/templates/snippets/hello']) {
        await owner.open(path)
        assert.deepEqual(await axeFindings(page), [], `${path} ${theme}`)
      }
    }
  })

  await context.test('an author writes and cannot archive; an analyst only reads', async () => {
    const { template_id: id } = await newest()
    const words = async (role: 'author' | 'analyst'): Promise<readonly string[]> => {
      const tab = await signIn(role)
      await tab.open(`/templates/${id}`)
      await hasText(tab.page, 'figure', 'On its way')
      assert.deepEqual(tab.problems, [])
      return tab.page.$$eval('main header button', (all) => all.map(({ textContent }) => textContent ?? ''))
    }
    assert.deepEqual(await words('author'), ['Copy as curl', 'Duplicate', 'Write a message with it', 'Save'])
    assert.deepEqual(await words('analyst'), ['Copy as curl'])
  })

  await context.test('archiving says what it means and asks for the name', async () => {
    const { template_id: id } = await newest()
    await owner.open(`/templates/${id}`)
    await page.locator('header button ::-p-text(Archive)').click()
    await page.waitForSelector('[role=dialog] input')
    await page.type('[role=dialog] input', 'On its way')
    await page.locator('[role=dialog] button ::-p-text(Archive for good)').click()
    await page.waitForFunction(`location.pathname === '/templates'`)
    const { body } = await ask(`/api/v1/templates/${id}`)
    assert.notEqual(Object(body['template']).archived_at, null)
  })

  assert.deepEqual(owner.problems, [])
})

async function hasText(page: Page, selector: string, text: string): Promise<void> {
  const [place, words] = [JSON.stringify(selector), JSON.stringify(text)]
  await page.waitForFunction(`document.querySelector(${place})?.innerText.includes(${words})`)
}
