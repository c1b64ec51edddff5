import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'puppeteer-core'
import type { JsonObject } from '../../src/domain/values/json.ts'
import { whyNoBrowsers } from '../support/browser/programs.ts'
import { CampaignCalls } from '../support/campaigns/calls.ts'
import { axeFindings, setTheme, startDashboard } from '../support/dashboard/dashboard.ts'
import { replaceText } from '../support/dashboard/replace-text.ts'
import { call, keyHeaders } from '../support/processes/server.ts'
import { seedSubscriptions } from '../support/subscriptions/subscriptions.ts'
import { until } from '../support/until.ts'

const MARKUP = '<img src=x onerror="document.title=1">'
const WORDS = {
  title: 'On its way, {{ user.first_name }}',
  message: 'It arrives on Monday.',
  url: 'https://shop.example/orders',
  sound: 'bell',
  languages: { de: { title: 'Unterwegs', message: 'Es kommt am Montag.' } },
}

test('a message that is made with a template', { skip: whyNoBrowsers() }, async (context) => {
  const { server, brand, signIn } = await startDashboard(context)
  const headers = keyHeaders(brand)
  const ask = async (path: string, body?: object, method = body === undefined ? 'GET' : 'POST') =>
    call(server.port, { path, headers, method, ...(body === undefined ? {} : { body }) })
  const { database } = server.deps
  await ask('/api/v1/user/create', { nv: [{ userID: 'ada', user_attributes: { first_name: 'Ada' } }] })
  for (const platform of ['ios', 'android', 'web'] as const) {
    await seedSubscriptions(database, { brandId: brand.brandId, platform, userId: 'ada' })
  }
  const campaigns = new CampaignCalls(server)
  const newest = async (): Promise<JsonObject> => (await campaigns.list(brand))[0] ?? {}
  const stored = async (wanted: (campaign: JsonObject) => boolean, what: string): Promise<JsonObject> => {
    await until(async () => wanted(await newest()), { what })
    return newest()
  }
  const made = await ask('/api/v1/templates', { name: `Order ${MARKUP}`, content: WORDS })
  const templateId: unknown = Object(made.body['template']).template_id
  const onePath = `/api/v1/templates/${String(templateId)}`
  const owner = await signIn()
  const { page } = owner

  await context.test('it is chosen by its name, which may be undone, and fills all languages', async () => {
    await owner.open('/compose?person=ada')
    await page.type('#compose-title', 'My own')
    await choose(page, 'order')
    await hasValue(page, '#compose-title', WORDS.title)
    await page.locator('button ::-p-text(Undo)').click()
    await hasValue(page, '#compose-title', 'My own')
    await choose(page, 'order')
    await hasText(page, 'figure', 'On its way, Ada')
    await page.locator('label ::-p-text(German)').click()
    await hasText(page, 'figure', 'Es kommt am Montag.')
    const { content, languages } = await newest()
    assert.deepEqual([content, languages], [{ template_id: templateId, template_version: 1 }, undefined])
    assert.equal(await page.$('img'), null)
  })

  await context.test(
    'a field, a language and a platform say something else; the rest is the template’s',
    async () => {
      await replaceText(page, '#compose-message', 'Am Dienstag.')
      await page.locator('label ::-p-text(All others)').click()
      await replaceText(page, '#compose-message', 'It arrives on Tuesday.')
      await hasText(page, 'figure', 'It arrives on Tuesday.')
      await page.locator('label[class*="SegmentedControl"] ::-p-text(Android)').click()
      await page.type('#compose-title', 'Only on Android')
      const { content, languages } = await stored(
        ({ android }) => Object(android).title === 'Only on Android',
        'the title of Android in the draft',
      )
      assert.deepEqual(content, {
        template_id: templateId,
        template_version: 1,
        message: 'It arrives on Tuesday.',
      })
      assert.deepEqual(languages, { de: { ...WORDS.languages.de, message: 'Am Dienstag.' } })
    },
  )

  await context.test('the stored draft is edited again; an emptied field is the template’s', async () => {
    await owner.open(`/compose/${String((await newest())['campaign_id'])}`)
    await hasValue(page, '#compose-title', WORDS.title)
    await hasValue(page, '#compose-message', 'It arrives on Tuesday.')
    await page.locator('#compose-message').click()
    await page.keyboard.down('Control')
    await page.keyboard.press('a')
    await page.keyboard.up('Control')
    await page.keyboard.press('Backspace')
    assert.equal(
      await page.$eval('#compose-message', (one) => one.getAttribute('placeholder')),
      WORDS.message,
    )
    await hasText(page, 'figure', WORDS.message)
    await page.locator('label ::-p-text(German)').click()
    await page.locator('button[aria-label="Remove German"]').click()
    const { content, languages } = await stored(
      (one) => Object.keys(Object(one['languages'])).length === 0,
      'the draft without German',
    )
    assert.deepEqual(content, { template_id: templateId, template_version: 1 })
    assert.deepEqual(languages, {})
  })

  await context.test('it stays with its version until the newest is taken', async () => {
    await ask(onePath, { version: 1, content: { ...WORDS, title: 'It is there' } }, 'PATCH')
    await owner.open(`/compose/${String((await newest())['campaign_id'])}`)
    await hasText(page, 'figure', 'On its way, Ada')
    await page.locator('button ::-p-text(Take version 2)').click()
    await hasText(page, 'figure', 'It is there')
    const { content } = await stored((one) => Object(one['content']).template_version === 2, 'version 2')
    assert.deepEqual(content, { template_id: templateId, template_version: 2 })
  })

  await context.test('the page of the message shows the words of the template', async () => {
    await owner.open(`/messages/campaign/${String((await newest())['campaign_id'])}`)
    await hasText(page, 'main', 'It is there')
    await page.waitForSelector(`main a[href="/templates/${String(templateId)}"]`)
  })

  await context.test('a campaign of the API follows the newest version, and can be edited', async () => {
    const content = { template_id: templateId, message: 'From a program' }
    const created = await ask('/api/v1/campaigns', { name: 'By key', audience: { everyone: true }, content })
    const id = String(Object(created.body['campaign']).campaign_id)
    await owner.open(`/compose/${id}`)
    await hasText(page, 'main', 'in its newest version.')
    await hasValue(page, '#compose-title', 'It is there')
    await replaceText(page, '#compose-message', 'By hand')
    await hasText(page, 'figure', 'By hand')
    await stored((one) => Object(one['content']).message === 'By hand', 'the changed message')
    assert.deepEqual((await newest())['content'], { ...content, message: 'By hand' })
  })

  await context.test('the words are kept without the template, and nothing of it is lost', async () => {
    await page.locator('button ::-p-text(Keep the words, without the template)').click()
    const { content, languages } = await stored(
      (one) => Object(one['content']).template_id === undefined,
      'the draft without its template',
    )
    const { languages: spoken, ...words } = WORDS
    assert.deepEqual(content, { ...words, title: 'It is there', message: 'By hand' })
    assert.deepEqual(languages, spoken)
  })

  await context.test('the words on the page are saved as a template, with the curl of it', async () => {
    await page.evaluate(`navigator.clipboard.writeText = async (text) => { window.copied = text }`)
    await page.locator('button ::-p-text(Save as template)').click()
    await replaceText(page, '[role=dialog] input', 'Saved here')
    assert.deepEqual(await axeFindings(page), [])
    await page.locator('[role=dialog] button ::-p-text(Copy as curl)').click()
    const curl = String(await page.evaluate('window.copied'))
    assert.match(curl, /-X POST .*\/api\/v1\/templates'/s)
    assert.match(curl, /"name":"Saved here"/)
    await page.locator('[role=dialog] button ::-p-text(Save the template)').click()
    await page.waitForSelector('[role=dialog] a[href^="/templates/"]')
    const { body } = await ask('/api/v1/templates?text=Saved')
    const [template] = Array.from(Object(body['templates']))
    assert.deepEqual(Object(template).content, { ...WORDS, title: 'It is there', message: 'By hand' })
    await page.keyboard.press('Escape')
  })

  await context.test('an archived template says so, and its words can be kept', async () => {
    const content = { template_id: templateId }
    const created = await ask('/api/v1/campaigns', { name: 'Late', audience: { everyone: true }, content })
    await ask(`${onePath}/archive`, {})
    await owner.open(`/compose/${String(Object(created.body['campaign']).campaign_id)}`)
    await hasText(page, 'main', 'The template is archived')
    for (const theme of ['light', 'dark'] as const) {
      await setTheme(page, theme)
      assert.deepEqual(await axeFindings(page), [], theme)
    }
    await page.locator('button ::-p-text(Keep the words, without the template)').click()
    await hasText(page, 'figure', 'It is there')
    await stored((one) => Object(one['content']).title === 'It is there', 'words of its own')
  })

  // The preview of a message with an archived template is refused, which the browser notes.
  assert.deepEqual(
    owner.problems.filter((problem) => !problem.includes('status of 404')),
    [],
  )
})

async function choose(page: Page, typed: string): Promise<void> {
  await page.locator('input[aria-label="Begin with a template"]').click()
  await page.type('input[aria-label="Begin with a template"]', typed)
  await page.locator('[role=option] ::-p-text(Order)').click()
}

async function hasText(page: Page, selector: string, text: string): Promise<void> {
  const [place, words] = [JSON.stringify(selector), JSON.stringify(text)]
  await page.waitForFunction(`document.querySelector(${place})?.textContent.includes(${words})`)
}

async function hasValue(page: Page, selector: string, text: string): Promise<void> {
  const [place, words] = [JSON.stringify(selector), JSON.stringify(text)]
  await page.waitForFunction(`document.querySelector(${place})?.value === ${words}`)
}
